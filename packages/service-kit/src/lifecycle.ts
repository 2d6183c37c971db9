import type { Logger } from './logging';

export interface LifecycleOptions {
  log: Logger;
  /** Time limit of the whole shutdown; each phase gets what is left of it. */
  timeoutMs: number;
}

export interface Lifecycle {
  /** Phases stop in reverse order of registration, so that a part stops before the parts that it depends on. */
  onStop(phase: string, stop: () => Promise<void> | void, timeoutMs?: number): void;
  /** Never rejects: a phase that fails or runs over its time is logged and passed. Further calls await the same shutdown. */
  stop(): Promise<void>;
}

interface Phase {
  name: string;
  stop: () => Promise<void> | void;
  timeoutMs?: number;
}

// When the time is used up, the remaining phases still get a moment each to release what they hold.
const MINIMUM_PHASE_MS = 100;

export function createLifecycle({ log, timeoutMs }: LifecycleOptions): Lifecycle {
  const phases: Phase[] = [];
  let stopping: Promise<void> | undefined;
  let stopped = false;

  async function stopPhase(phase: Phase, limitMs: number): Promise<void> {
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<'time-up'>((resolve) => {
      timer = setTimeout(() => resolve('time-up'), limitMs);
    });
    try {
      const outcome = await Promise.race([Promise.resolve().then(phase.stop), timeUp]);
      const durationMs = Math.round(performance.now() - startedAt);
      if (outcome === 'time-up') {
        log.error({ phase: phase.name, limitMs }, 'shutdown phase ran out of time');
      } else {
        log.debug({ phase: phase.name, durationMs }, 'shutdown phase done');
      }
    } catch (error) {
      log.error({ phase: phase.name, err: error }, 'shutdown phase failed');
    } finally {
      clearTimeout(timer);
    }
  }

  async function stopAll(): Promise<void> {
    const endsAt = performance.now() + timeoutMs;
    for (let phase = phases.pop(); phase !== undefined; phase = phases.pop()) {
      const left = Math.max(endsAt - performance.now(), MINIMUM_PHASE_MS);
      await stopPhase(phase, Math.min(phase.timeoutMs ?? left, left));
    }
    stopped = true;
  }

  return {
    onStop(name, stop, limitMs) {
      const phase = { name, stop, timeoutMs: limitMs };
      if (stopped) {
        // Registered during or after the shutdown: stopped at once, so that nothing stays open.
        void stopPhase(phase, limitMs ?? timeoutMs);
        return;
      }
      phases.push(phase);
    },
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}

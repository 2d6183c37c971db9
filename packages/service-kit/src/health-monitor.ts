import type { Logger } from './logging';

export interface HealthCheck {
  /** Rejects when the part is not usable. */
  check: () => Promise<void>;
  /** Whether the service as a whole can serve without it. */
  required: boolean;
  /** Calls back on a change before the next round; the returned function stops that. */
  onChange?: (changed: () => void) => () => void;
}

export interface HealthMonitorOptions {
  checks: Record<string, HealthCheck>;
  /** Receives the health of each part by name, and of the whole service as ''. Called after every round, changed or not. */
  report: (name: string, healthy: boolean) => void;
  log: Logger;
  intervalMs?: number;
  /** A check that takes longer than this has failed. */
  timeoutMs?: number;
}

export interface HealthMonitor {
  /** Resolves after the first round, so that the next health request gets the real state. */
  start(): Promise<void>;
  stop(): void;
}

export function createHealthMonitor(options: HealthMonitorOptions): HealthMonitor {
  const { checks, report, log, intervalMs = 2_000, timeoutMs = 2_000 } = options;
  const health = new Map<string, boolean>();
  const unfollow: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function ask(name: string, { check, required }: HealthCheck): Promise<void> {
    let reason: unknown;
    const healthy = await limited(check, timeoutMs).then(
      () => true,
      (error: unknown) => {
        reason = error;
        return false;
      },
    );
    if (stopped) {
      return;
    }
    if (health.get(name) !== false && !healthy) {
      log[required ? 'warn' : 'info']({ part: name, err: reason }, 'health check fails');
    } else if (health.get(name) === false && healthy) {
      log.info({ part: name }, 'health check passes again');
    }
    health.set(name, healthy);
    report(name, healthy);
    // Until every part has reported, nothing is said about the whole service.
    if (health.size === Object.keys(checks).length) {
      report(
        '',
        Object.entries(checks).every(([part, { required }]) => !required || health.get(part) === true),
      );
    }
  }

  async function round(): Promise<void> {
    await Promise.all(Object.entries(checks).map(([name, check]) => ask(name, check)));
    if (!stopped) {
      timer = setTimeout(() => void round(), intervalMs).unref();
    }
  }

  return {
    async start() {
      for (const [name, check] of Object.entries(checks)) {
        const stop = check.onChange?.(() => void ask(name, check));
        if (stop !== undefined) {
          unfollow.push(stop);
        }
      }
      await round();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      unfollow.forEach((stop) => stop());
    },
  };
}

async function limited(check: () => Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([check(), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

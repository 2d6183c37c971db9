import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../logging';
import { createWakeup } from './wakeup';

export interface PeriodicWork {
  /** The first round begins immediately. */
  start(): void;
  /** Ends the current pause, or skips the next one. A pause after a failure is kept: wake-ups must not press a server that is away. */
  wake(): void;
  /** Aborts the signal of the current round and resolves when that round is over. */
  stop(): Promise<void>;
}

export interface PeriodicWorkOptions {
  /** For the log. */
  name: string;
  /** The longest pause between the end of a round and the next one. */
  everyMs: number;
  /** The longest pause after a failed round; `everyMs` unless given. */
  retryMs?: number;
  /** One round. Answers true when there is more to do: the next round then follows without a pause. */
  work: (signal: AbortSignal) => Promise<boolean | void>;
  log: Logger;
}

/** A pause is shortened by up to this fraction, at random: works with the same period would otherwise run at the same moment, each on a connection of its own. */
const SPREAD = 0.1;

const shortened = (pauseMs: number): number => pauseMs * (1 - Math.random() * SPREAD);

/** Repeats work, one round at a time, until it is stopped. A failed round is logged and tried again. */
export function createPeriodicWork(options: PeriodicWorkOptions): PeriodicWork {
  const { name, everyMs, retryMs = everyMs, work, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const wakeup = createWakeup();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    let failing = false;
    while (!signal.aborted) {
      try {
        const more = await work(signal);
        failing = false;
        if (more !== true) {
          await wakeup.sleep(shortened(everyMs));
        }
      } catch (error) {
        // One warning per outage, not one per attempt.
        log[failing ? 'debug' : 'warn']({ err: error, work: name }, 'periodic work failed, trying again');
        failing = true;
        await delay(shortened(retryMs), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  return {
    start() {
      running ??= run();
    },
    wake: () => wakeup.poke(),
    async stop() {
      stopping.abort();
      wakeup.poke();
      await running;
    },
  };
}

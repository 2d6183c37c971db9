import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';

export interface Periodic {
  start(): void;
  /** Ends after the round at hand. */
  stop(): Promise<void>;
}

export interface PeriodicOptions {
  /** For the log. */
  name: string;
  everyMs: number;
  /** The signal says that it is time to stop. */
  work: (signal: AbortSignal) => Promise<void>;
  log: Logger;
}

/** Does something at once and then again and again, whether it worked or not. */
export function createPeriodic({ name, everyMs, work, log }: PeriodicOptions): Periodic {
  const stopping = new AbortController();
  const { signal } = stopping;
  let loop: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await work(signal).catch((error: unknown) => log.warn({ err: error }, `${name}: failed, trying again later`));
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    start() {
      loop ??= run();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

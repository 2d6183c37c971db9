import type { Logger } from '@sabia/service-kit/logging';

export interface Sweeper {
  start(): void;
  /** Ends after the sweep at hand. */
  stop(): Promise<void>;
}

export interface SweeperOptions {
  name: string;
  everyMs: number;
  /** Answers how much there was to do: after a full sweep the next one begins at once. */
  sweep: () => Promise<number | void>;
  /** As much as one sweep takes on. */
  fullAt?: number;
  log: Logger;
}

/** Does something again and again, a while after it was done last, whether it worked or not. */
export function createSweeper({ name, everyMs, sweep, fullAt = Infinity, log }: SweeperOptions): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let stopped = false;
  let failing = false;

  async function run(): Promise<void> {
    let again = false;
    try {
      again = ((await sweep()) ?? 0) >= fullAt;
      failing = false;
    } catch (error) {
      // One line per outage, not one per attempt.
      log[failing ? 'debug' : 'warn']({ err: error, sweep: name }, 'a sweep failed, trying again');
      failing = true;
    }
    schedule(again ? 0 : everyMs);
  }

  function schedule(afterMs: number): void {
    if (!stopped) {
      timer = setTimeout(() => {
        sweeping = run();
      }, afterMs);
    }
  }

  return {
    start() {
      schedule(everyMs);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
    },
  };
}

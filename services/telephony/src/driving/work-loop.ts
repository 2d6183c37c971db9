import { createWakeup } from '@sabia/service-kit/work/wakeup';

export interface WorkLoop {
  /** There is something to do: the present pause ends, or the next one is left out. */
  wake(): void;
  /** Resolves when the present round is over. */
  stop(): Promise<void>;
}

export interface WorkLoopOptions {
  work: () => Promise<void>;
  /** Without being woken. */
  pauseMs: number;
  /** After a round that failed; whoever wakes it then waits, too. */
  retryMs: number;
  /** `again`: the round before has failed, too. */
  onFailure: (error: unknown, again: boolean) => void;
}

/** The same work again and again, one round at a time. */
export function startWorkLoop({ work, pauseMs, retryMs, onFailure }: WorkLoopOptions): WorkLoop {
  const pause = createWakeup();
  // Only stopping cuts this one short.
  const patience = createWakeup();
  let stopped = false;

  async function run(): Promise<void> {
    let failing = false;
    while (!stopped) {
      try {
        await work();
        failing = false;
      } catch (error) {
        onFailure(error, failing);
        failing = true;
      }
      await (failing ? patience.sleep(retryMs) : pause.sleep(pauseMs));
    }
  }

  const loop = run();
  return {
    wake: () => pause.poke(),
    async stop() {
      stopped = true;
      pause.poke();
      patience.poke();
      await loop;
    },
  };
}

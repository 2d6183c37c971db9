import { setTimeout as delay } from 'node:timers/promises';

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
  const stopping = new AbortController();
  let pause = new AbortController();

  async function run(): Promise<void> {
    let failing = false;
    while (!stopping.signal.aborted) {
      pause = new AbortController();
      try {
        await work();
        failing = false;
      } catch (error) {
        onFailure(error, failing);
        failing = true;
      }
      const signal = failing ? stopping.signal : AbortSignal.any([pause.signal, stopping.signal]);
      await delay(failing ? retryMs : pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  const loop = run();
  return {
    wake: () => pause.abort(),
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

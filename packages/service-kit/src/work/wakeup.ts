export interface Wakeup {
  /** Ends the current sleep; without one, the next sleep ends immediately. Several pokes count as one. */
  poke(): void;
  /** True: somebody has poked since the last sleep ended. */
  isPoked(): boolean;
  /** Resolves on a poke or when the time is over. One sleep at a time. */
  sleep(milliseconds: number): Promise<void>;
}

/** A pause in a loop that new work can end. */
export function createWakeup(): Wakeup {
  let poked = false;
  let wake: (() => void) | undefined;
  return {
    poke() {
      poked = true;
      wake?.();
    },
    isPoked: () => poked,
    async sleep(milliseconds) {
      if (!poked) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      poked = false;
    },
  };
}

/** A sleep that can be cut short. A poke that comes while nobody sleeps makes the next sleep end at once. */
export interface Wakeup {
  poke(): void;
  /** Resolves on a poke or when the time is over. */
  sleep(milliseconds: number): Promise<void>;
}

export function createWakeup(): Wakeup {
  let poked = false;
  let wake: (() => void) | undefined;
  return {
    poke() {
      poked = true;
      wake?.();
    },
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

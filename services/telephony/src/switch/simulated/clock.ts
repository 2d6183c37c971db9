/** Time, and something to happen in it. */
export interface Clock {
  now(): Date;
  /** Answers how to call it off. */
  after(milliseconds: number, action: () => void): () => void;
}

/** setTimeout takes no more than this; whoever waits longer is woken and waits on. */
const longestTimeout = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  after(milliseconds, action) {
    const timer = setTimeout(action, Math.min(Math.max(0, milliseconds), longestTimeout));
    return () => clearTimeout(timer);
  },
};

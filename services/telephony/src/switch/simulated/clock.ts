/** The time and a timer, replaceable in tests. */
export interface Clock {
  now(): Date;
  /** Returns a function that cancels the action. */
  after(milliseconds: number, action: () => void): () => void;
}

/** setTimeout accepts no more than this. */
const longestTimeout = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  after(milliseconds, action) {
    const timer = setTimeout(action, Math.min(Math.max(0, milliseconds), longestTimeout));
    return () => clearTimeout(timer);
  },
};

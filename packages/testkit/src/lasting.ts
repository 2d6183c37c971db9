import { areTimesStrict } from './config';

/** What a call's recorded duration may be if its party hangs up after so many seconds, for `toMatchObject` and `toEqual`. */
export interface Lasting {
  $$typeof: symbol;
  asymmetricMatch(duration: unknown): boolean;
  toString(): string;
  toAsymmetricMatcher(): string;
}

/**
 * The duration of a call whose party hangs up by a timer of its own. Both ends of the call reach the switch when the machine lets
 * them: while it is busy one may be late by seconds, so that the call gets longer or shorter. With SABIA_TEST_STRICT=1 exactly
 * these seconds.
 */
export function lasting(seconds: number): Lasting {
  const [least, most] = areTimesStrict() ? [seconds, seconds] : [Math.min(1, seconds), 10 * seconds];
  const name = `a duration of ${least} to ${most} seconds`;
  return {
    $$typeof: Symbol.for('jest.asymmetricMatcher'),
    asymmetricMatch: (duration) => typeof duration === 'number' && duration >= least && duration <= most,
    toString: () => name,
    toAsymmetricMatcher: () => name,
  };
}

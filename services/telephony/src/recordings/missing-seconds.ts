import type { Call } from '../domain/call';
import { secondsOfWave } from '../domain/wave';

/** A recording begins a moment after the answer, and its clock may differ slightly from the call's. */
const TOLERANCE_SECONDS = 2;
const TOLERANCE_SHARE = 0.01;

/** How much of a call its audio lacks, in whole seconds; 0: nothing noticeable. */
export function missingSeconds(size: number, wholeSeconds: number): number {
  const missing = wholeSeconds - secondsOfWave(size);
  return missing > TOLERANCE_SECONDS + wholeSeconds * TOLERANCE_SHARE ? Math.round(missing) : 0;
}

/** A switch writes audio in pieces of up to two seconds; the one at hand when it dies is lost, and nothing tells how long it was. */
const LEAST_LOST_SECONDS = 1;

/** What is told to be missing: the recording of a call that ended because its switch was lost is never called whole. */
export function declaredMissing({ hangupCause }: Pick<Call, 'hangupCause'>, missing: number): number {
  return hangupCause === 'NETWORK_OUT_OF_ORDER' ? Math.max(missing, LEAST_LOST_SECONDS) : missing;
}

import { secondsOfWave } from '../domain/wave';

/** A recording begins a moment after the answer, and its clock may differ slightly from the call's. */
const TOLERANCE_SECONDS = 2;
const TOLERANCE_SHARE = 0.01;

/** How much of a call its audio lacks, in whole seconds; 0: nothing noticeable. */
export function missingSeconds(size: number, wholeSeconds: number): number {
  const missing = wholeSeconds - secondsOfWave(size);
  return missing > TOLERANCE_SECONDS + wholeSeconds * TOLERANCE_SHARE ? Math.round(missing) : 0;
}

import { areTimesStrict } from './config';

/**
 * How many milliseconds a test allows for what users are promised within so many: ten times as many, because a slow or busy machine
 * is no reason to fail. With SABIA_TEST_STRICT=1, on a quiet machine, exactly these.
 */
export const promised = (ms: number): number => (areTimesStrict() ? ms : 10 * ms);

import { areTimesStrict } from './config';

/** How many of something a test does: with SABIA_TEST_STRICT=1 all of them, otherwise a quarter, because a whole run shares two cores. */
export const amountOf = (all: number): number => (areTimesStrict() ? all : Math.ceil(all / 4));

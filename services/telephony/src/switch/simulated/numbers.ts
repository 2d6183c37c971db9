import type { HangupCause } from '../../domain/hangup-cause';

/** What the far end of a simulated call does; times in milliseconds. */
export interface Behaviour {
  /** Counted from the placing of the call; undefined: never. */
  answersAfter?: number;
  /** Counted from the answer, or from the placing if there is none. Undefined: never. */
  endsAfter?: number;
  cause: HangupCause;
}

const behaviours = new Map<string, Behaviour>([
  ['551155500101', { answersAfter: 50, cause: 'NORMAL_CLEARING' }],
  ['551155500102', { answersAfter: 3_000, cause: 'NORMAL_CLEARING' }],
  ['551155500103', { endsAfter: 1_000, cause: 'USER_BUSY' }],
  ['551155500104', { endsAfter: 60_000, cause: 'NO_ANSWER' }],
  ['551155500105', { endsAfter: 50, cause: 'UNALLOCATED_NUMBER' }],
  ['551155500106', { endsAfter: 1_000, cause: 'CALL_REJECTED' }],
  ['551155500107', { endsAfter: 50, cause: 'NORMAL_CIRCUIT_CONGESTION' }],
  ['551155500108', { answersAfter: 50, cause: 'NORMAL_CLEARING' }],
]);

/** 5511555002NN answers, and hangs up after NN seconds. */
const timed = /^5511555002(\d\d)$/;

/** The same behaviour as the test carrier of the embedded Asterisk; any other number answers and hangs up after ten seconds. */
export function behaviourOf(number: string): Behaviour {
  const [, seconds = '10'] = timed.exec(number) ?? [];
  return behaviours.get(number) ?? { answersAfter: 50, endsAfter: Number(seconds) * 1_000, cause: 'NORMAL_CLEARING' };
}

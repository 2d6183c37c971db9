import type { CallStatus } from './call';

/** A call moves forward only, and `ended` is where every one of them comes to. */
const before: Record<CallStatus, readonly CallStatus[]> = {
  queued: [],
  ringing: ['queued'],
  // A switch may tell of the answer before it tells of the ringing, or never tell of that.
  answered: ['queued', 'ringing'],
  ended: ['queued', 'ringing', 'answered'],
};

/** The states from which a call may come to this one: what guards each transition in SQL. */
export const statesBefore = (status: CallStatus): readonly CallStatus[] => before[status];

export const canMove = (from: CallStatus, to: CallStatus): boolean => before[to].includes(from);

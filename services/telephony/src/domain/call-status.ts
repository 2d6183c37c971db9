import type { CallStatus } from './call';

/** A call only moves forward, and every call reaches `ended`. */
const before: Record<CallStatus, readonly CallStatus[]> = {
  queued: [],
  ringing: ['queued'],
  // A switch may report the answer before the ringing, or not report the ringing at all.
  answered: ['queued', 'ringing'],
  ended: ['queued', 'ringing', 'answered'],
};

/** The states from which a call may enter this one; they guard each transition in SQL. */
export const statesBefore = (status: CallStatus): readonly CallStatus[] => before[status];

export const canMove = (from: CallStatus, to: CallStatus): boolean => before[to].includes(from);

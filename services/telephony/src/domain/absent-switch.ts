import { paidUntil } from './live-call';
import type { LiveCall, TimePolicy } from './live-call';

export interface AbsencePolicy extends Pick<TimePolicy, 'ringSeconds' | 'hangupSeconds'> {
  /** How long calls count as live while no replica reaches their switch. */
  absenceSeconds: number;
}

type Placed = Pick<
  LiveCall,
  'startedAt' | 'placedAt' | 'answeredAt' | 'grantedSeconds' | 'requestedAt' | 'requestedCause' | 'seenAt'
>;

/**
 * Whether a call on a switch that no replica reaches counts as over. Those who talk may go on talking, so it does not until it would
 * have been cut, was asked to end, or nothing was seen of it for too long.
 */
export function isOverUnseen(call: Placed, policy: AbsencePolicy, now: Date): boolean {
  const isPast = (moment: Date, seconds: number): boolean => moment.getTime() + seconds * 1000 <= now.getTime();
  if (isPast(call.seenAt ?? call.placedAt ?? call.startedAt, policy.absenceSeconds)) {
    return true;
  }
  if (call.requestedAt !== null) {
    return isPast(call.requestedAt, policy.hangupSeconds);
  }
  if (call.answeredAt === null) {
    return isPast(call.startedAt, policy.ringSeconds);
  }
  // The switch cuts it by itself, and writes down when.
  return call.grantedSeconds !== null && isPast(paidUntil(call), policy.hangupSeconds);
}

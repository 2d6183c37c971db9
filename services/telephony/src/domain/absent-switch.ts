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
 * Whether a call on a switch that no replica reaches counts as ended. The conversation may well go on, so it counts as ended only
 * once it would have been cut, was asked to end, or has not been seen for too long.
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
    return isPast(call.placedAt ?? call.startedAt, policy.ringSeconds);
  }
  // The switch cuts the call by itself, and records when. One that was still seen afterwards has not been cut.
  const notCutBefore = Math.max(paidUntil(call).getTime(), call.seenAt?.getTime() ?? 0);
  return call.grantedSeconds !== null && isPast(new Date(notCutBefore), policy.hangupSeconds);
}

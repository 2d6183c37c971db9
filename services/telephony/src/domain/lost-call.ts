import type { LiveCall, TimePolicy } from './live-call';

type Lost = Pick<LiveCall, 'startedAt' | 'placedAt' | 'answeredAt' | 'aChannel' | 'requestedAt' | 'leftUntil'>;

/** What the records of the switch say of the call. */
interface Records {
  answeredAt?: Date;
  end?: object;
  wasLetGo?: boolean;
}

/**
 * Whether a call that its switch has lost is placed again. Not one that was answered, that a party has ended, or whose caller's leg
 * began on the switch; nor one that would have rung for too long by now.
 */
export function mayPlaceAgain(
  call: Lost,
  records: Records,
  policy: Pick<TimePolicy, 'ringSeconds'>,
  now: Date,
): boolean {
  const hasEnded = records.end !== undefined && records.wasLetGo !== true;
  if (call.answeredAt !== null || records.answeredAt !== undefined || hasEnded) {
    return false;
  }
  if (call.aChannel !== null || call.requestedAt !== null || call.leftUntil !== null) {
    return false;
  }
  return now.getTime() < (call.placedAt ?? call.startedAt).getTime() + policy.ringSeconds * 1000;
}

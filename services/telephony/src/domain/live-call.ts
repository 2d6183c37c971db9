import type { Call } from './call';
import type { HangupCause } from './hangup-cause';

/** A call that has not ended, with all that whoever drives it must know. */
export interface LiveCall extends Call {
  ramal: string;
  aChannel: string | null;
  attempt: number;
  placedAt: Date | null;
  grantedSeconds: number | null;
  requestedCause: HangupCause | null;
  requestedAt: Date | null;
  /** When its switch last gave a sign of life, this call included. */
  seenAt: Date | null;
}

export interface TimePolicy {
  /** From the start of a call until its destination must have answered. */
  ringSeconds: number;
  /** Of talking, however much credit there is. */
  maximumSeconds: number;
  /** Talking time is extended this long before it is used up, by as much as `extendSeconds`. */
  extendLeadSeconds: number;
  extendSeconds: number;
  /** This long before a call is cut those who talk are warned; 0: never. */
  warningSeconds: number;
  /** How long the switch may take to end a call that it was told to end. */
  hangupSeconds: number;
}

export type Duty =
  | { kind: 'wait'; until: Date }
  /** Those who talk are to hear that the call is cut at that moment. */
  | { kind: 'warn'; until: Date }
  /** The switch is to end it. */
  | { kind: 'hang-up'; cause: HangupCause }
  /** More talking time is to be paid for; `last`: what is paid for is used up. */
  | { kind: 'extend'; wanted: number; last: boolean }
  /** The switch was told and says nothing: it is over all the same. */
  | { kind: 'bury'; cause: HangupCause };

type Timed = Pick<LiveCall, 'startedAt' | 'answeredAt' | 'grantedSeconds' | 'requestedAt' | 'requestedCause'>;

const after = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1000);

/** What a call needs at this moment; of one that needs nothing, when to look again. */
export function dutyOf(call: Timed, policy: TimePolicy, now: Date): Duty {
  if (call.requestedAt !== null) {
    const cause = call.requestedCause ?? 'NORMAL_CLEARING';
    return { kind: after(call.requestedAt, policy.hangupSeconds) > now ? 'hang-up' : 'bury', cause };
  }
  if (call.answeredAt === null) {
    const until = after(call.startedAt, policy.ringSeconds);
    return until > now ? { kind: 'wait', until } : { kind: 'hang-up', cause: 'NO_ANSWER' };
  }
  const end = after(call.answeredAt, policy.maximumSeconds);
  if (end <= now) {
    return { kind: 'hang-up', cause: 'ALLOTTED_TIMEOUT' };
  }
  if (call.grantedSeconds === null || call.grantedSeconds >= policy.maximumSeconds) {
    const warnAt = after(end, -Math.min(policy.warningSeconds, policy.maximumSeconds / 2));
    return warnAt > now ? { kind: 'wait', until: warnAt } : { kind: 'warn', until: end };
  }
  const extendAt = after(paidUntil(call), -extendLead(call, policy));
  if (extendAt > now) {
    return { kind: 'wait', until: extendAt };
  }
  const wanted = Math.min(call.grantedSeconds + policy.extendSeconds, policy.maximumSeconds);
  return { kind: 'extend', wanted, last: paidUntil(call) <= now };
}

/** Of a short time, most of it: what is left must outlast a moment in which nobody can be asked. */
const extendLead = ({ grantedSeconds }: Timed, policy: TimePolicy): number =>
  Math.min(policy.extendLeadSeconds, (grantedSeconds ?? 0) * 0.75);

/** After an extension that was not granted: the moment at which the talking time is used up. */
export const paidUntil = (call: Timed): Date => after(call.answeredAt ?? call.startedAt, call.grantedSeconds ?? 0);

/** And when to warn of it: never before it was tried to extend the time. */
export const creditWarningAt = (call: Timed, policy: TimePolicy): Date =>
  after(paidUntil(call), -Math.min(policy.warningSeconds, extendLead(call, policy)));

/** The moment at which the switch itself ends a call that was answered, whoever drives it by then. */
export const cutOffAt = (
  { answeredAt, grantedSeconds }: { answeredAt: Date; grantedSeconds: number | null },
  maximumSeconds: number,
): Date => after(answeredAt, Math.min(grantedSeconds ?? maximumSeconds, maximumSeconds));

import type { Call } from './call';
import type { HangupCause } from './hangup-cause';
import { isProofCall } from './number-proof';

/** A call that has not ended, with all that its driver must know. */
export interface LiveCall extends Call {
  /** The switch that it is on; null: it waits in line. */
  switchName: string | null;
  ramal: string;
  aChannel: string | null;
  /** Counts the callee's legs: see `trunkOf` and `placingOf`. */
  attempt: number;
  /** The trunks that it has tried, the present one last; null: they follow from the destination. */
  trunks: string[] | null;
  /** The trunks for which it waits; null: it does not wait for one. */
  line: string | null;
  /** When it left that line. */
  readyAt: Date | null;
  placedAt: Date | null;
  grantedSeconds: number | null;
  requestedCause: HangupCause | null;
  requestedAt: Date | null;
  /** The extensions that have taken a leg over. */
  aRamal: string | null;
  bRamal: string | null;
  /** The extension that is to take a leg over, until it has been called. */
  transferTo: string | null;
  transferSide: Side | null;
  /** A party has left without hanging up: the call ends then, unless it comes back. */
  leftUntil: Date | null;
  /** When the switch was last seen with this call. */
  seenAt: Date | null;
}

/** A call whose switch was lost is placed again on another one: its attempts then begin at the next multiple of this. */
export const PLACING = 100;
/** How often the call was placed before. */
export const placingOf = (attempt: number): number => Math.floor(attempt / PLACING);
/** In the place of the number of a placing: the legs of extensions that are called to take another leg over. */
export const TAKEOVER = -1;
/** Which of the trunks an attempt is on, unless the call has waited for one. */
export const trunkOf = (attempt: number): number => attempt % PLACING;

/** The entry in the timeline of a call whose callee is called. */
export const CALLEE_CALLED = 'destination is being called';

/** The caller's leg or the callee's. */
export type Side = 'a' | 'b';

/** A leg that an extension has taken over. */
export type TransferredLeg = { ramal: string } & ({ side: 'a'; channel: string } | { side: 'b'; attempt: number });

type Parties = Pick<LiveCall, 'type' | 'ramal' | 'to' | 'aRamal' | 'bRamal'>;

/** The extension on each side of the call; undefined: the party is beyond a carrier, or the platform itself. */
export const extensionsOf = (call: Parties): Record<Side, string | undefined> => ({
  a: call.type === 'inbound' || isProofCall(call) ? undefined : (call.aRamal ?? call.ramal),
  b: call.type === 'outbound' ? undefined : (call.bRamal ?? (call.type === 'internal' ? call.to : call.ramal)),
});

/** The side of the extension that leaves; undefined: it is not in the call. Without a name it is the first extension. */
export function sideOf(call: Parties, leaving: string | undefined): Side | undefined {
  const { a, b } = extensionsOf(call);
  if (leaving === undefined) return a !== undefined ? 'a' : b !== undefined ? 'b' : undefined;
  return leaving === a ? 'a' : leaving === b ? 'b' : undefined;
}

/**
 * Counts the legs of a side: one that takes over has a higher number than those before it. The channel of a later caller's leg is
 * named after its number; the callee's is the attempt.
 */
export const legNumberOf = ({ aChannel, attempt }: Pick<LiveCall, 'aChannel' | 'attempt'>, side: Side): number =>
  side === 'a' ? Number(/-a(\d+)$/.exec(aChannel ?? '')?.[1] ?? 0) : attempt;

/** How long a party may take to come back: long enough to load a page anew. */
export const COME_BACK_MS = 15_000;

export interface TimePolicy {
  /** From the moment a call is placed on a switch until its destination must have answered. */
  ringSeconds: number;
  /** The longest talking time, however much credit there is. */
  maximumSeconds: number;
  /** Talking time is extended by `extendSeconds` this long before it is used up. */
  extendLeadSeconds: number;
  extendSeconds: number;
  /** A warning tone is played this long before a call is cut; 0: never. */
  warningSeconds: number;
  /** How long the switch may take to end a call that it was told to end. */
  hangupSeconds: number;
}

export type Duty =
  | { kind: 'wait'; until: Date }
  /** Play the warning tone: the call is cut at `until`. */
  | { kind: 'warn'; until: Date }
  /** Call the extension that is to take a leg over. */
  | { kind: 'transfer'; side: Side; to: string }
  /** Tell the switch to end the call. */
  | { kind: 'hang-up'; cause: HangupCause }
  /** Ask billing for more talking time; `last`: the time that is paid for is used up. */
  | { kind: 'extend'; wanted: number; last: boolean }
  /** The switch was told to end the call and has not confirmed it: count it as ended. */
  | { kind: 'bury'; cause: HangupCause };

type Timed = Pick<LiveCall, 'startedAt' | 'answeredAt' | 'grantedSeconds' | 'requestedAt' | 'requestedCause'> &
  Partial<Pick<LiveCall, 'placedAt' | 'transferSide' | 'transferTo' | 'leftUntil'>>;

const after = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1000);

/** What a call needs at this moment, or when to look at it again. */
export function dutyOf(call: Timed, policy: TimePolicy, now: Date): Duty {
  if (call.requestedAt !== null) {
    const cause = call.requestedCause ?? 'NORMAL_CLEARING';
    return { kind: after(call.requestedAt, policy.hangupSeconds) > now ? 'hang-up' : 'bury', cause };
  }
  if (call.leftUntil && call.leftUntil <= now) {
    return { kind: 'hang-up', cause: call.answeredAt === null ? 'ORIGINATOR_CANCEL' : 'NORMAL_CLEARING' };
  }
  if (call.answeredAt === null) {
    // Not the time in line.
    const until = after(call.placedAt ?? call.startedAt, policy.ringSeconds);
    return until > now ? { kind: 'wait', until } : { kind: 'hang-up', cause: 'NO_ANSWER' };
  }
  if (call.transferSide && call.transferTo) {
    return { kind: 'transfer', side: call.transferSide, to: call.transferTo };
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

/** Most of a short grant: the rest must outlast a short outage of billing. */
const extendLead = ({ grantedSeconds }: Timed, policy: TimePolicy): number =>
  Math.min(policy.extendLeadSeconds, (grantedSeconds ?? 0) * 0.75);

/** The moment at which the talking time is used up, unless it is extended. */
export const paidUntil = (call: Timed): Date => after(call.answeredAt ?? call.startedAt, call.grantedSeconds ?? 0);

/** When to warn of that moment: never before an extension was tried. */
export const creditWarningAt = (call: Timed, policy: TimePolicy): Date =>
  after(paidUntil(call), -Math.min(policy.warningSeconds, extendLead(call, policy)));

/** The moment at which the switch itself ends an answered call, even if no replica drives it by then. */
export const cutOffAt = (
  { answeredAt, grantedSeconds }: { answeredAt: Date; grantedSeconds: number | null },
  maximumSeconds: number,
): Date => after(answeredAt, Math.min(grantedSeconds ?? maximumSeconds, maximumSeconds));

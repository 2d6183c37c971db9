import type { Call } from './call';
import type { InferredEntry, LadderEntry } from './ladder-leg';
import type { LegMessages, SipMessage } from './sip-message';

/** Who a leg leads to, and whether the switch sent its INVITE. */
export interface LegParty {
  leg: LadderEntry['leg'];
  party: string;
  attempt?: number;
  invited: boolean;
}

/**
 * The test carrier is the same switch, which then sees a message twice: when it is sent and when it is received. A sender repeats
 * a message after half a second at the earliest.
 */
const SAME_MS = 200;
const MOST_ENTRIES = 400;

const methodOf = (cseq: string): string => cseq.replace(/^\d+ /, '');
/** Names what a message is, whoever sent it: "BYE", "200 BYE". */
const kindOf = ({ method, status, cseq }: SipMessage): string => method ?? `${status} ${methodOf(cseq)}`;

/** A leg's messages, in the order in which they passed. Empty if it cannot be told who sent them. */
export function captured(messages: readonly SipMessage[], of: LegParty): LadderEntry[] {
  // Stable: messages of the same millisecond stay in the order in which they came.
  const sorted = [...messages].sort((one, other) => one.at - other.at).slice(0, MOST_ENTRIES);
  const caller = sorted.find(({ cseq }) => methodOf(cseq) === 'INVITE')?.tag;
  if (caller === undefined) {
    return [];
  }
  const { leg, party, attempt, invited } = of;
  const seen = new Map<string, number>();
  const entries: LadderEntry[] = [];
  for (const message of sorted) {
    const { at, method, status, reason, cseq, tag } = message;
    // A response has the From of its request, and goes the other way.
    const byCaller = (tag === caller) === (method !== undefined);
    const direction = byCaller === invited ? 'out' : 'in';
    const key = `${direction} ${kindOf(message)} ${cseq}`;
    const before = seen.get(key);
    if (before !== undefined && at - before < SAME_MS) continue;
    seen.set(key, at);
    entries.push({
      ...{ at: new Date(at), leg, direction, party, method, status, reason, attempt, cseq },
      ...{ retransmission: before !== undefined, inferred: false },
    });
  }
  return entries;
}

/** The inferred messages that were not captured, and do not contradict those that were. */
export function missing(inferred: readonly InferredEntry[], messages: readonly SipMessage[]): InferredEntry[] {
  const kinds = new Set(messages.map(kindOf));
  const isAny = (test: (kind: string) => boolean): boolean => [...kinds].some(test);
  const isFinished = isAny(isFinal);
  // Who was never heard is not sent a CANCEL either.
  const isOver = isAny(isEnding) || (kinds.has('INVITE') && !isAny((kind) => kind.endsWith(' INVITE')));
  return inferred.filter((entry) => {
    const kind = entry.method ?? `${entry.status} ${entry.answers}`;
    return !kinds.has(kind) && !(isOver && entry.ending) && !(isFinished && isFinal(kind));
  });
}

const isFinal = (kind: string): boolean => /^[2-6]\d\d INVITE$/.test(kind) && !/^40[17]/.test(kind);
const isEnding = (kind: string): boolean => /\b(BYE|CANCEL)$/.test(kind) || (isFinal(kind) && !kind.startsWith('2'));

/** All messages of each leg, by its name. */
export function messagesByLeg(rows: readonly LegMessages[]): Map<string, SipMessage[]> {
  const byLeg = new Map<string, SipMessage[]>();
  for (const { leg, messages } of rows) byLeg.set(leg, [...(byLeg.get(leg) ?? []), ...messages]);
  return byLeg;
}

/** A call that no user of the API placed began with the INVITE of a softphone or of a carrier. */
export const isDialledByCaller = (call: Pick<Call, 'userId'>): boolean => call.userId === 0;

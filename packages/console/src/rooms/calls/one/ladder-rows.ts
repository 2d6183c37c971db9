import type { LadderEntry } from '@sabia/client';

export type { LadderEntry };

export interface LadderRow {
  /** Between the extension and Sabiá, or between Sabiá and the destination. */
  lane: 'extension' | 'destination';
  /** Where the arrow points; the extension is on the left. */
  heads: 'left' | 'right';
  label: string;
  tone: 'request' | 'progress' | 'success' | 'refusal';
  /** Since the first message. */
  milliseconds: number;
  /** When it passed; null: unknown. */
  at: string | null;
  /** Said where it begins or changes within a lane. */
  party?: string;
  /** Number and method of the request: what a response responds to. Null where the message was not captured. */
  cseq: string | null;
  /** Sent again. */
  retransmission: boolean;
  inferred: boolean;
}

/** SIP messages in the order in which they passed, as rows of a ladder with three uprights. */
export function ladderRows(entries: readonly LadderEntry[]): LadderRow[] {
  const sorted = [...entries].sort((one, other) => timeOf(one) - timeOf(other));
  const begin = sorted[0] === undefined ? 0 : timeOf(sorted[0]);
  const parties = new Map<string, string>();
  return sorted.map((entry) => {
    const lane = entry.leg === 'EXTENSION' ? 'extension' : 'destination';
    const isNews = entry.party !== '' && parties.get(lane) !== entry.party;
    parties.set(lane, entry.party);
    return {
      lane,
      heads: (lane === 'extension') === (entry.direction === 'IN') ? 'right' : 'left',
      label: labelOf(entry),
      tone: toneOf(entry),
      milliseconds: timeOf(entry) - begin,
      at: entry.at,
      ...(isNews && { party: entry.party }),
      cseq: entry.cseq,
      retransmission: entry.retransmission,
      inferred: entry.inferred,
    };
  });
}

/** Longer than it takes until a message is known. */
const KNOWN_MS = 10_000;

/** A message is inferred, and so young that the real one may still come. */
export function isCatchingUp(entries: readonly LadderEntry[], now: number): boolean {
  return entries.some((entry) => entry.inferred && now - timeOf(entry) < KNOWN_MS);
}

const timeOf = ({ at }: LadderEntry): number => (at === null ? 0 : Date.parse(at));

function labelOf({ method, status, reason }: LadderEntry): string {
  return [method, status, reason].filter((part) => part !== null && part !== '').join(' ');
}

function toneOf({ status }: LadderEntry): LadderRow['tone'] {
  if (status === null) return 'request';
  // A challenge refuses nothing: the request comes again, with the password.
  if (status < 200 || status === 401 || status === 407) return 'progress';
  return status < 300 ? 'success' : 'refusal';
}

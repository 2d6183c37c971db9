import type { Schemas } from '../../../api/client';

export type LadderEntry = Schemas['LadderEntry'];

export interface LadderRow {
  /** Between the extension and Sabiá, or between Sabiá and the destination. */
  lane: 'extension' | 'destination';
  /** Where the arrow points; the extension is on the left. */
  heads: 'left' | 'right';
  label: string;
  tone: 'request' | 'progress' | 'success' | 'refusal';
  /** Since the first message. */
  seconds: number;
  /** Said where it begins or changes within a lane. */
  party?: string;
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
      seconds: (timeOf(entry) - begin) / 1_000,
      ...(isNews && { party: entry.party }),
      inferred: entry.inferred,
    };
  });
}

const timeOf = ({ at }: LadderEntry): number => (at === null ? 0 : Date.parse(at));

function labelOf({ method, status, reason }: LadderEntry): string {
  return [method, status, reason].filter((part) => part !== null && part !== '').join(' ');
}

function toneOf({ status }: LadderEntry): LadderRow['tone'] {
  if (status === null) return 'request';
  if (status < 200) return 'progress';
  return status < 300 ? 'success' : 'refusal';
}

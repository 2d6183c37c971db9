import type { TimelineEntry } from '@sabia/client';
import { formatDuration, formatMoney, formatNumber } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { causeWords } from '../causes';

type Detail = NonNullable<TimelineEntry['detail']>;

const KILOBYTE = 1_000;

/** A part of a step's detail in words. Undefined: there is nothing to say about it. */
const notes: ((detail: Detail) => string | undefined)[] = [
  ({ extension }) => (typeof extension === 'string' ? m.calls_note_extension({ extension }) : undefined),
  ({ place, orMore }) => {
    if (typeof place !== 'number') return undefined;
    const number = formatNumber(place);
    return orMore === true ? m.calls_note_place_or_later({ number }) : m.calls_note_place({ number });
  },
  ({ cause }) => (typeof cause === 'string' ? causeWords(cause).title : undefined),
  ({ sipStatus }) => (typeof sipStatus === 'number' ? m.calls_note_sip({ status: sipStatus }) : undefined),
  ({ eventType, attempt }) => {
    if (typeof attempt !== 'number') return undefined;
    if (eventType !== undefined) return m.calls_note_attempt({ number: attempt });
    // The trunks of a destination are counted from 0, and mostly the first one takes the call.
    return attempt > 0 ? m.calls_note_trunk({ number: attempt + 1 }) : undefined;
  },
  ({ latencyMs, answered }) => {
    if (typeof latencyMs !== 'number') return undefined;
    const ms = formatNumber(latencyMs);
    return typeof answered === 'number'
      ? m.calls_note_answered({ status: answered, ms })
      : m.calls_note_no_answer({ ms });
  },
  ({ duration }) =>
    typeof duration === 'number' && duration > 0
      ? m.calls_note_talked({ duration: formatDuration(duration) })
      : undefined,
  ({ seconds }) =>
    typeof seconds === 'number' ? m.calls_note_reserved({ seconds: formatNumber(seconds) }) : undefined,
  ({ billedSeconds }) =>
    typeof billedSeconds === 'number' ? m.calls_note_billed({ seconds: formatNumber(billedSeconds) }) : undefined,
  ({ callPrice }) => (typeof callPrice === 'number' ? formatMoney(callPrice) : undefined),
  ({ bytes }) =>
    typeof bytes === 'number'
      ? formatNumber(Math.ceil(bytes / KILOBYTE), { style: 'unit', unit: 'kilobyte' })
      : undefined,
  ({ missingSeconds }) =>
    typeof missingSeconds === 'number' ? m.calls_note_missing({ seconds: formatNumber(missingSeconds) }) : undefined,
];

/** What else is known of a step. */
export function stepNotes({ detail }: TimelineEntry): string[] {
  if (detail === null) return [];
  return notes.map((note) => note(detail)).filter((note) => note !== undefined);
}

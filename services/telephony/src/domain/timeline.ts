import type { Call } from './call';

export type TimelineKind = 'request' | 'leg' | 'cause' | 'credit' | 'recording' | 'delivery';

export interface TimelineEntry {
  at: Date;
  kind: TimelineKind;
  message: string;
  detail?: object | null;
}

/** The entries noted while the call lasted and those that follow from its record, in chronological order. */
export function timelineOf(call: Call, noted: TimelineEntry[]): TimelineEntry[] {
  const { startedAt, answeredAt, endedAt, duration, hangupCause, hangupCauseCode } = call;
  const entries: TimelineEntry[] = [
    {
      at: startedAt,
      kind: 'request',
      message: 'call accepted',
      detail: { type: call.type, from: call.from, to: call.to },
    },
    ...noted,
  ];
  if (answeredAt !== null) {
    entries.push({ at: answeredAt, kind: 'leg', message: 'destination answered' });
  }
  if (endedAt !== null) {
    const detail = { cause: hangupCause, code: hangupCauseCode, duration };
    entries.push({ at: endedAt, kind: 'cause', message: 'call ended', detail });
  }
  if (call.callPrice !== null) {
    const detail = { billedSeconds: call.billedSeconds, callPrice: call.callPrice / 10_000 };
    // The event of the price does not say when it was made: it follows the end.
    entries.push({ at: endedAt ?? startedAt, kind: 'credit', message: 'call rated', detail });
  }
  // The sort is stable: entries of the same moment stay in the order in which they were noted.
  return entries.sort((one, other) => one.at.getTime() - other.at.getTime());
}

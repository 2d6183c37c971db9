import type { Call } from './call';

export type TimelineKind = 'request' | 'leg' | 'cause' | 'credit' | 'recording' | 'delivery';

export interface TimelineEntry {
  at: Date;
  kind: TimelineKind;
  message: string;
  detail?: object | null;
}

/** What was noted on the way, and what the record of the call itself tells, in the order of time. */
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
    // Billing tells the price, not when it was made: it follows the end.
    entries.push({ at: endedAt ?? startedAt, kind: 'credit', message: 'call rated', detail });
  }
  // Stable: what happened at the same moment stays in the order it was noted.
  return entries.sort((one, other) => one.at.getTime() - other.at.getTime());
}

import type { ReasonCode } from '../domain/reason';
import { createUnsentNotes } from './unsent-notes';

const hour = 60 * 60 * 1000;
const noteAt = (ms: number, integrationId = 1, code: ReasonCode = 'METADATA_MISSING') => ({
  ...{ integrationId, eventType: 'channel-hangup' as const, callId: String(ms), at: new Date(ms) },
  unsent: { code, explain: () => `${code} at ${ms}` },
});

describe('notes of events that were not sent', () => {
  it('list ten a minute of each integration', () => {
    const notes = createUnsentNotes();
    const listed = (ms: number, integrationId: number, isCommitted = true) => {
      const batch = notes.begin();
      const { length } = Array.from({ length: 15 }, () => batch.add(noteAt(ms, integrationId))).filter(Boolean);
      if (isCommitted) batch.commit();
      return length;
    };
    expect([listed(0, 1, false), listed(0, 1), listed(1_000, 2)]).toEqual([10, 10, 10]);
    expect([listed(59_999, 1), listed(60_000, 1)]).toEqual([0, 10]);
  });

  it('list none whose type was not asked for', () => {
    expect(
      createUnsentNotes()
        .begin()
        .add(noteAt(0, 1, 'TYPE_NOT_CHOSEN')),
    ).toBe(false);
  });

  it('count all by hour and reason, and keep the newest, until they are taken', () => {
    const notes = createUnsentNotes();
    const count = (...some: ReturnType<typeof noteAt>[]) => {
      const batch = notes.begin();
      some.forEach((note) => batch.add(note));
      batch.commit();
    };
    count(noteAt(2), noteAt(3, 1, 'TYPE_NOT_CHOSEN'), noteAt(hour));
    notes.giveBack(notes.take());
    count(noteAt(1), noteAt(4, 2));
    const counts = notes
      .take()
      .map(({ integrationId, hour: nth, code, count, reason }) => [...[integrationId, nth, code, count], reason]);
    expect(counts).toEqual([
      [1, 0, 'METADATA_MISSING', 2, 'METADATA_MISSING at 2'],
      [1, 0, 'TYPE_NOT_CHOSEN', 1, 'TYPE_NOT_CHOSEN at 3'],
      [1, 1, 'METADATA_MISSING', 1, `METADATA_MISSING at ${hour}`],
      [2, 0, 'METADATA_MISSING', 1, 'METADATA_MISSING at 4'],
    ]);
    expect(notes.take()).toEqual([]);
  });
});

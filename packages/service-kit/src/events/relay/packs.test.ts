import { readEnvelopes } from '../envelope';
import type { OutboxRow } from './outbox-session';
import { packsOf } from './packs';

const row = (position: number, type: string, account_id: number, payload = String(position)): OutboxRow => ({
  position,
  id: `0190f4de-0000-7000-8000-${String(position).padStart(12, '0')}`,
  type,
  version: 1,
  account_id,
  occurred_at: new Date(0),
  traceparent: '',
  tracestate: '',
  payload: Buffer.from(payload),
  services_only: false,
  also: Buffer.alloc(0),
});

const created = (position: number, account = 1, payload?: string): OutboxRow =>
  row(position, 'telephony.call.created', account, payload);
const ended = (position: number, account = 1): OutboxRow => row(position, 'telephony.call.ended', account);

const together = { shardEvents: false, packEvents: true };

/** The positions in each message, as consumers read them. */
const messagesOf = (rows: OutboxRow[], format = together): number[][] =>
  packsOf(rows, format).map(({ publication }) =>
    readEnvelopes(publication.data).map(({ id }) => Number(id.slice(-12))),
  );

const idOf = (rows: OutboxRow[]): string => packsOf(rows, together)[0]!.publication.headers.get('Nats-Msg-Id');

describe('messages for services', () => {
  it('carry the events of a subject together, whatever lies between them', () => {
    expect(messagesOf([created(1), created(2, 2), ended(3, 3), created(4, 2), ended(5, 4)])).toEqual([
      [1, 2, 4],
      [3, 5],
    ]);
  });

  it('never put an event before an earlier one of its account', () => {
    expect(messagesOf([created(1), ended(2), created(3), created(4, 2), ended(5)])).toEqual([[1], [2], [3, 4], [5]]);
  });

  it('are of one shard where subjects name it', () => {
    const rows = [created(1, 1), created(2, 2), created(3, 9), created(4, 2)];
    expect(messagesOf(rows, { shardEvents: true, packEvents: true })).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  it('carry one event each unless they are told otherwise', () => {
    expect(messagesOf([created(1), created(2)], { shardEvents: false, packEvents: false })).toEqual([[1], [2]]);
  });

  it('are no larger than a relay and its consumers can hold', () => {
    const many = Array.from({ length: 70 }, (_, nth) => created(nth + 1));
    expect(messagesOf(many).map(({ length }) => length)).toEqual([32, 32, 6]);
    const large = 'x'.repeat(40 * 1024);
    expect(messagesOf([created(1, 1, large), created(2, 2), created(3, 3, large)])).toEqual([[1, 2], [3]]);
  });

  it('leave out what accounts alone are told', () => {
    expect(messagesOf([row(1, 'telephony.call.ringing', 1), created(2)])).toEqual([[2]]);
  });

  it('have an id of their own, for JetStream must not drop an event because it knows those beside it', () => {
    expect(idOf([created(1)])).toBe(created(1).id);
    expect(new Set([[1], [1, 2], [1, 2, 3], [1, 3]].map((all) => idOf(all.map((nth) => created(nth))))).size).toBe(4);
    expect(idOf([created(1), created(2)])).toBe(idOf([created(1), created(2)]));
  });
});

import { billingEvents } from '@sabia/protos/events/billing';
import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import type { Transaction } from '../postgres/database';
import { createOutbox, outboxInsert, outgoingEvent } from './outbox';

const now = () => new Date('2026-01-01T00:00:00Z');
const event = { type: 'identity.account.created', accountId: 7, payload: Buffer.from('x') } as const;

function createTransaction() {
  const queries: unknown[][] = [];
  const callbacks: (() => void)[] = [];
  const tx: Transaction = {
    query: (...query) => {
      queries.push(query);
      return Promise.resolve([]);
    },
    scan: () => Promise.reject(new Error('nothing is listed here')),
    afterCommit: (callback) => void callbacks.push(callback),
  };
  return { tx, queries, callbacks };
}

describe('outbox', () => {
  it('writes any number of events in one statement and pokes after the commit only', async () => {
    const poke = jest.fn();
    const { tx, queries, callbacks } = createTransaction();
    await createOutbox({ poke, now }).write(tx, [
      event,
      { ...event, version: 3, id: '0190f4de-0000-7000-8000-000000000001' },
    ]);
    expect(queries).toHaveLength(1);
    const [, values] = queries[0] as [string, unknown[][]];
    expect(values[0]?.[1]).toBe('0190f4de-0000-7000-8000-000000000001');
    expect(values.slice(1, 5)).toEqual([
      [event.type, event.type],
      [1, 3],
      [7, 7],
      Array(2).fill('2026-01-01T00:00:00.000Z'),
    ]);
    expect(poke).not.toHaveBeenCalled();
    callbacks.forEach((callback) => callback());
    expect(poke).toHaveBeenCalledTimes(1);
  });

  it('stores a message under the type of its definition', () => {
    const message = { balance: 7 };
    const { values } = outboxInsert([outgoingEvent(billingEvents.creditExhausted, message, { accountId: 7 })]);
    expect(values[1]).toEqual(['billing.credit.exhausted']);
    expect(values[3]).toEqual([7]);
    expect(billingEvents.creditExhausted.decode((values[5] as Uint8Array[])[0]!)).toEqual(message);
  });

  it('writes nothing for no events', async () => {
    const { tx, queries, callbacks } = createTransaction();
    await createOutbox({ poke: () => undefined }).write(tx, []);
    expect([queries, callbacks]).toEqual([[], []]);
  });

  it('gives each event its own trace, or that of the request', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { values } = outboxInsert([event, { ...event, trace: { traceparent } }]);
    expect(values.slice(6, 8)).toEqual([
      ['', traceparent],
      ['', ''],
    ]);
  });

  it('can be part of another statement', () => {
    const { text, values } = outboxInsert([event], 4);
    expect(text).toContain('$4::uuid[]');
    expect(text).toContain('$13::bytea');
    expect(values).toHaveLength(10);
  });
});

describe('events that are written together', () => {
  const toAccounts = (count: number, type: `${string}.${string}.${string}`, accountId = 7, bytes = 1) =>
    Array.from({ length: count }, () => ({ type, accountId, payload: Buffer.alloc(bytes) }));

  /** For each row: its account, whether services alone get it, and how many other events its account is told of with it. */
  const rowsOf = (...events: Parameters<typeof outboxInsert>[0]) => {
    const { values } = outboxInsert(events);
    const [accounts, servicesOnly, also] = [values[3], values[8], values[9]] as [number[], boolean[], Uint8Array[]];
    return accounts.map((account, index) => [
      account,
      servicesOnly[index],
      Envelope.decode(also[index]!).also.map(({ id }) => id).length,
    ]);
  };

  it('reach their account in one message and services one by one', () => {
    const created = 'telephony.call.created';
    const events = [...toAccounts(2, created, 7), ...toAccounts(1, created, 8), ...toAccounts(1, created, 7)];
    expect(rowsOf(...events)).toEqual([
      [7, false, 2],
      [7, true, 0],
      [8, false, 0],
      [7, true, 0],
    ]);
  });

  it('need one row for all of them if services do not get them', () => {
    expect(rowsOf(...toAccounts(3, 'telephony.call.ringing'))).toEqual([[7, false, 2]]);
  });

  it('go by themselves if accounts do not follow them, were told of them, or follow them as another type', () => {
    const ended = toAccounts(2, 'telephony.call.ended').map((event) => ({ ...event, servicesOnly: true }));
    const [answered] = toAccounts(1, 'telephony.call.answered');
    const [recorded] = toAccounts(1, 'telephony.call.recorded');
    expect(rowsOf(event, event, ...ended, answered!, recorded!).map(([, , also]) => also)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('take several messages when they are many or large', () => {
    const ringing = 'telephony.call.ringing';
    expect(rowsOf(...toAccounts(120, ringing)).map(([, , also]) => also)).toEqual([49, 49, 19]);
    expect(rowsOf(...toAccounts(5, ringing, 7, 30_000)).map(([, , also]) => also)).toEqual([1, 1, 0]);
  });
});

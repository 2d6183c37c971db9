import { billingEvents } from '@sabia/protos/events/billing';
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
    expect(text).toContain('$12::boolean');
    expect(values).toHaveLength(9);
  });
});

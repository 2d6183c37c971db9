import type { Publication } from './batch-publisher';
import { createLiveCopies } from './live-copies';
import type { OutboxRow } from './outbox-session';
import { pump } from './pump';
import { createLogger } from '../../logging';
import { createWakeup } from '../../work/wakeup';

const row = (position: number, type = 'identity.account.created'): OutboxRow => ({
  position,
  id: `0190f4de-0000-7000-8000-${String(position).padStart(12, '0')}`,
  type,
  version: 1,
  account_id: 1,
  occurred_at: new Date(0),
  traceparent: '',
  tracestate: '',
  payload: Buffer.from(String(position)),
  services_only: false,
  also: Buffer.alloc(0),
});

/** An outbox in memory; ends the pump when it is empty. */
function createStage(
  positions: number[],
  refuse: (position: number, subject: string) => boolean = () => false,
  type?: string,
) {
  const rows = new Map(positions.map((position) => [position, row(position, type)]));
  const ending = new AbortController();
  const published: number[][] = [];
  /** Of what was stored, with positions. */
  const subjects: [string, number][] = [];
  const session = {
    schema: 'test',
    tryLock: () => Promise.resolve(true),
    exchange: (done: number[], after: number, limit: number, held: ReadonlySet<number> = new Set()) => {
      done.forEach((position) => rows.delete(position));
      if (rows.size === 0) {
        ending.abort();
      }
      const found = [...rows.values()].filter(({ position }) => position > after && !held.has(position));
      return Promise.resolve(found.sort((a, b) => a.position - b.position).slice(0, limit));
    },
    close: () => Promise.resolve(),
  };
  const publisher = {
    publish: (batch: Publication[]) => {
      const numbers = batch.map(({ headers }) => Number(headers.get('Nats-Msg-Id').slice(-12)));
      published.push(numbers);
      return Promise.resolve(
        numbers.map((position, index) => {
          const { subject } = batch[index]!;
          return refuse(position, subject) ? 'refused' : void subjects.push([subject, position]);
        }),
      );
    },
    close: () => undefined,
  };
  const counts = { published: 0, refused: 0 };
  const metrics = {
    published: (types: string[]) => void (counts.published += types.length),
    refused: (count: number) => void (counts.refused += count),
    dropped: () => undefined,
    oldest: () => undefined,
    stop: () => undefined,
  };
  const run = (batchSize: number) =>
    pump({
      session,
      publisher,
      copies: createLiveCopies({
        publisher,
        ensureStream: () => Promise.resolve(),
        isConnected: () => true,
        metrics,
        log: createLogger({ name: 'test', level: 'silent' }),
      }),
      wakeup: createWakeup(),
      pollMs: 1,
      batchSize,
      metrics,
      signal: ending.signal,
      onProgress: () => undefined,
    });
  return { run, rows, published, subjects, counts };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('pump', () => {
  it('sends one event ahead and then whole batches, in order, each once', async () => {
    const { run, rows, published, counts } = createStage(upTo(10));
    await run(4);
    expect(published).toEqual([[1], [2, 3, 4, 5], [6, 7, 8, 9], [10]]);
    expect(rows.size).toBe(0);
    expect(counts).toEqual({ published: 10, refused: 0 });
  });

  it('stops at a refusal and deletes only what was stored', async () => {
    const { run, rows, published, counts } = createStage(upTo(8), (position) => position >= 3);
    await expect(run(4)).rejects.toThrow(/refused/);
    expect(published).toEqual([[1], [2, 3, 4, 5]]);
    expect([...rows.keys()]).toEqual([3, 4, 5, 6, 7, 8]);
    expect(counts).toEqual({ published: 2, refused: 3 });
  });

  it('serves services while the stream of live events refuses, and tells accounts in order once it does not', async () => {
    let refusals = 3;
    const toAccount = (_position: number, subject: string) => subject.startsWith('sabia-live.1.') && refusals-- > 0;
    const { run, rows, subjects, counts } = createStage(upTo(6), toAccount, 'telephony.call.ended');
    await run(2);
    const stored = (prefix: string) => subjects.filter(([subject]) => subject.startsWith(prefix)).map(([, nth]) => nth);
    expect(stored('sabia.')).toEqual(upTo(6));
    expect(stored('sabia-live.')).toEqual(upTo(6));
    expect(rows.size).toBe(0);
    expect(counts).toEqual({ published: 6, refused: 3 });
    expect(subjects.findIndex(([subject]) => subject.startsWith('sabia-live.'))).toBe(6);
  });

  it('keeps an event that services did not get, though its account did', async () => {
    const toServices = (position: number, subject: string) => position === 2 && subject.startsWith('sabia.');
    const { run, rows } = createStage(upTo(3), toServices, 'telephony.call.ended');
    await expect(run(4)).rejects.toThrow(/refused/);
    expect([...rows.keys()]).toEqual([2]);
  });

  it('finds rows that were committed late, though it never runs dry', async () => {
    const positions = upTo(200);
    const { run, rows, published } = createStage(positions.slice(1));
    let late = false;
    const original = rows.delete.bind(rows);
    rows.delete = (position) => {
      if (position === 20 && !late) {
        late = true;
        rows.set(1, row(1));
      }
      return original(position);
    };
    await run(2);
    const order = published.flat();
    expect(order.filter((position) => position === 1)).toHaveLength(1);
    expect(order.indexOf(1)).toBeLessThan(order.indexOf(100));
    expect(new Set(order).size).toBe(200);
  });
});

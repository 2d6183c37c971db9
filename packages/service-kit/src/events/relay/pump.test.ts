import type { Publication } from './batch-publisher';
import type { OutboxRow } from './outbox-session';
import { pump } from './pump';
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
  const session = {
    schema: 'test',
    tryLock: () => Promise.resolve(true),
    exchange: (done: number[], after: number, limit: number) => {
      done.forEach((position) => rows.delete(position));
      if (rows.size === 0) {
        ending.abort();
      }
      const found = [...rows.values()].filter(({ position }) => position > after);
      return Promise.resolve(found.sort((a, b) => a.position - b.position).slice(0, limit));
    },
    close: () => Promise.resolve(),
  };
  const publisher = {
    publish: (batch: Publication[]) => {
      const numbers = batch.map(({ headers }) => Number(headers.get('Nats-Msg-Id').slice(-12)));
      published.push(numbers);
      return Promise.resolve(
        numbers.map((position, index) => (refuse(position, batch[index]!.subject) ? 'refused' : undefined)),
      );
    },
    close: () => undefined,
  };
  const counts = { published: 0, refused: 0 };
  const metrics = {
    published: (types: string[]) => void (counts.published += types.length),
    refused: (count: number) => void (counts.refused += count),
    oldest: () => undefined,
    stop: () => undefined,
  };
  const run = (batchSize: number) =>
    pump({
      session,
      publisher,
      wakeup: createWakeup(),
      pollMs: 1,
      batchSize,
      metrics,
      signal: ending.signal,
      onProgress: () => undefined,
    });
  return { run, rows, published, counts };
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

  it('keeps an event until both the account and the services have it', async () => {
    const toAccount = (position: number, subject: string) => position === 2 && subject.startsWith('sabia-live.1.');
    const { run, rows, published, counts } = createStage(upTo(3), toAccount, 'telephony.call.ended');
    await expect(run(4)).rejects.toThrow(/refused/);
    expect(published).toEqual([
      [1, 1],
      [2, 2, 3, 3],
    ]);
    expect([...rows.keys()]).toEqual([2]);
    expect(counts).toEqual({ published: 2, refused: 1 });
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

import type { Publication } from './batch-publisher';
import { createLiveCopies } from './live-copies';
import type { OutboxRow } from './outbox-session';
import { markFor } from './mark';
import { Progress } from './progress';
import type { Span } from './progress';
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

/** An outbox in memory; ends the pump when everything is published. */
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
  const progress = new Progress({ position: 0, open: [] });
  const log = createLogger({ name: 'test', level: 'silent' });
  const where = (condition: (position: number) => boolean, limit: number) =>
    [...rows.values()]
      .filter(({ position }) => condition(position))
      .sort((a, b) => a.position - b.position)
      .slice(0, limit);
  /** After which position each reading began. */
  const reads: number[] = [];
  const session = {
    read: (after: number, limit: number) => {
      reads.push(after);
      return Promise.resolve(where((position) => position > after, limit));
    },
    look: (spans: Span[], limit: number) => {
      const found = where((position) => spans.some(({ from, to }) => position >= from && position <= to), limit);
      return Promise.resolve({ rows: found, transactions: { oldest: 7n, next: 7n } });
    },
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
  const copies = createLiveCopies({
    publisher,
    ensureStream: () => Promise.resolve(),
    isConnected: () => true,
    wasTold: () => false,
    metrics,
    log,
  });
  const last = () => Math.max(...rows.keys());
  const upkeep = {
    whenDue: () => {
      if (progress.position >= last() && progress.open.length === 0 && copies.held().length === 0) {
        ending.abort();
      }
      return Promise.resolve();
    },
  };
  const run = (batchSize: number) =>
    pump({
      format: { shardEvents: false, packEvents: false },
      session,
      publisher,
      copies,
      progress,
      upkeep,
      wakeup: createWakeup(),
      pollMs: 1,
      batchSize,
      metrics,
      signal: ending.signal,
      onProgress: () => undefined,
    });
  return { run, rows, published, reads, subjects, counts, progress };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('pump', () => {
  it('sends one event ahead and then whole batches, in order, each once', async () => {
    const { run, published, counts, progress } = createStage(upTo(10));
    await run(4);
    expect(published).toEqual([[1], [2, 3, 4, 5], [6, 7, 8, 9], [10]]);
    expect(progress).toMatchObject({ position: 10, open: [] });
    expect(counts).toEqual({ published: 10, refused: 0 });
  });

  it('does not read again after a batch that was not full', async () => {
    const { run, published, reads } = createStage(upTo(3));
    await run(4);
    expect(published).toEqual([[1], [2, 3]]);
    expect(reads).toEqual([0, 1]);
  });

  it('stops at a refusal and leaves open only what was not stored', async () => {
    const { run, published, counts, progress } = createStage(upTo(8), (position) => position === 3 || position === 4);
    await expect(run(4)).rejects.toThrow(/refused/);
    expect(published).toEqual([[1], [2, 3, 4, 5]]);
    expect(progress).toMatchObject({
      position: 5,
      open: [
        { from: 3, to: 3 },
        { from: 4, to: 4 },
      ],
    });
    expect(counts).toEqual({ published: 3, refused: 2 });
  });

  it('begins with what was refused before', async () => {
    let refusing = true;
    const { run, published } = createStage(upTo(8), (position) => position >= 3 && refusing);
    await expect(run(4)).rejects.toThrow(/refused/);
    refusing = false;
    await run(4);
    expect(published).toEqual([[1], [2, 3, 4, 5], [3], [4, 5], [6, 7, 8]]);
  });

  it('serves services while the stream of live events refuses, and tells accounts in order once it does not', async () => {
    let refusals = 3;
    const toAccount = (_position: number, subject: string) => subject.startsWith('sabia-live.1.') && refusals-- > 0;
    const { run, subjects, counts } = createStage(upTo(6), toAccount, 'telephony.call.ended');
    await run(2);
    const stored = (prefix: string) => subjects.filter(([subject]) => subject.startsWith(prefix)).map(([, nth]) => nth);
    expect(stored('sabia.')).toEqual(upTo(6));
    expect(stored('sabia-live.')).toEqual(upTo(6));
    expect(counts).toEqual({ published: 6, refused: 3 });
    expect(subjects.findIndex(([subject]) => subject.startsWith('sabia-live.'))).toBe(6);
  });

  it('leaves open an event that services did not get, though its account did', async () => {
    const toServices = (position: number, subject: string) => position === 2 && subject.startsWith('sabia.');
    const { run, progress } = createStage(upTo(3), toServices, 'telephony.call.ended');
    await expect(run(4)).rejects.toThrow(/refused/);
    expect(progress).toMatchObject({ position: 3, open: [{ from: 2, to: 2 }] });
  });

  it('finds rows that were committed late, though it never runs dry', async () => {
    const { run, rows, published, progress } = createStage([2, ...upTo(200).slice(3)]);
    const original = progress.published.bind(progress);
    jest.spyOn(progress, 'published').mockImplementation((batch) => {
      original(batch);
      if (batch.some(({ position }) => position === 20)) {
        rows.set(1, row(1)).set(3, row(3));
      }
    });
    await run(2);
    const order = published.flat();
    expect(order.filter((position) => position === 1 || position === 3)).toEqual([1, 3]);
    expect(order.indexOf(3)).toBeLessThan(order.indexOf(100));
    expect(new Set(order).size).toBe(200);
  });
});

describe('Progress', () => {
  const passedBy = () => {
    const progress = new Progress({ position: 4, open: [] });
    progress.published([{ position: 5 }, { position: 9 }]);
    return progress;
  };

  it('keeps positions open that were passed by', () => {
    expect(passedBy()).toMatchObject({ position: 9, open: [{ from: 6, to: 8 }] });
  });

  it('splits a span around an event that shows in it', () => {
    const progress = passedBy();
    progress.published([{ position: 7 }]);
    expect(progress.open).toEqual([
      { from: 6, to: 6 },
      { from: 8, to: 8 },
    ]);
  });

  it('gives a span up only after every transaction that began before it was passed by', () => {
    const progress = passedBy();
    progress.foundNothing({ oldest: 3n, next: 12n });
    progress.foundNothing({ oldest: 11n, next: 20n });
    expect(progress.open).toHaveLength(1);
    progress.foundNothing({ oldest: 12n, next: 30n });
    expect(progress.open).toHaveLength(0);
  });
});

describe('markFor', () => {
  const stored = { position: 9, open: [{ from: 4, to: 5 }], streamCreated: 'monday', toldTo: 0 };

  it('goes on where the stream is the same, or the first', () => {
    expect(markFor('monday', stored)).toMatchObject({ ...stored, isStartedAnew: false });
    const first = { ...stored, streamCreated: undefined };
    expect(markFor('monday', first)).toMatchObject({ ...stored, isStartedAnew: false });
  });

  it('starts anew for another stream, and remembers what accounts were told, also when it is interrupted', () => {
    const anew = markFor('tuesday', stored);
    expect(anew).toMatchObject({ position: 0, open: [], streamCreated: 'tuesday', toldTo: 9, isStartedAnew: true });
    const interrupted = { ...anew, position: 3 };
    expect(markFor('tuesday', interrupted)).toMatchObject({ position: 3, toldTo: 9, isStartedAnew: false });
    expect(markFor('wednesday', interrupted)).toMatchObject({ position: 0, toldTo: 9 });
  });
});

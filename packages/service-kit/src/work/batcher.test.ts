import { switchOff } from '../plain-paths';
import { runInScope } from '../request-scope';
import { createBatcher } from './batcher';
import type { BatcherOptions } from './batcher';
import { createSerialWork } from './serial-work';

/** A batcher that records its batches; a batch fails while `fails` says so. */
function create({
  fails = () => false,
  ...options
}: { fails?: (jobs: number[]) => boolean } & Partial<BatcherOptions<number, string>> = {}) {
  const batches: number[][] = [];
  const batcher = createBatcher<number, string>({
    batchSize: 3,
    write: async (jobs) => {
      batches.push(jobs);
      await Promise.resolve();
      if (fails(jobs)) {
        throw new Error(`cannot write ${jobs.join()}`);
      }
      return jobs.map(String);
    },
    ...options,
  });
  return { batches, batcher };
}

test('jobs that arrive together are written together, a few at a time', async () => {
  const { batches, batcher } = create();
  const results = await Promise.all([1, 2, 3, 4, 5].map((job) => batcher.add(job)));
  expect(results).toEqual(['1', '2', '3', '4', '5']);
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('a batch that takes too long does not hold up the next one', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  try {
    const answers: ((results: string[]) => void)[] = [];
    const { batcher } = create({ patienceMs: 200, write: () => new Promise((resolve) => answers.push(resolve)) });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const stuck = batcher.add(1);
    await turn();
    const next = batcher.add(2);
    await jest.advanceTimersByTimeAsync(199);
    expect(answers).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    answers[1]!(['2']);
    await expect(next).resolves.toBe('2');
    answers[0]!(['1']);
    await expect(stuck).resolves.toBe('1');
  } finally {
    jest.useRealTimers();
  }
});

test('jobs that arrive while a batch is being written form the next one', async () => {
  const late: Promise<string>[] = [];
  const batches: number[][] = [];
  const batcher = createBatcher<number, string>({
    batchSize: 3,
    write: async (jobs) => {
      batches.push(jobs);
      if (batches.length === 1) late.push(batcher.add(2), batcher.add(3));
      return jobs.map(String);
    },
  });
  await batcher.add(1);
  await Promise.all(late);
  expect(batches).toEqual([[1], [2, 3]]);
});

test('a failed batch is written one by one, and only the job at fault fails', async () => {
  const { batches, batcher } = create({ fails: (jobs) => jobs.includes(3) });
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((job) => batcher.add(job)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(batches).toEqual([[1, 2, 3], [1], [2], [3], [4]]);
  await expect(batcher.add(5)).resolves.toBe('5');
});

test('keys neither share a batch nor wait for each other', async () => {
  const { batches, batcher } = create({ keyOf: (job) => job % 2 });
  await Promise.all([1, 2, 3, 4, 5, 6].map((job) => batcher.add(job)));
  expect(batches).toEqual([
    [1, 3, 5],
    [2, 4, 6],
  ]);
  await batcher.add(7);
  expect(batches.at(-1)).toEqual([7]);
});

test('a job whose request has ended while it waited is not written', async () => {
  const { batches, batcher } = create();
  const gone = new AbortController();
  const waiting = [
    batcher.add(1),
    batcher.add(2),
    runInScope({ requestId: 'x', signal: gone.signal }, () => batcher.add(3)),
    batcher.add(4),
  ];
  gone.abort(new Error('gone'));
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(batches).toEqual([[1, 2], [4]]);
});

describe('a batcher whose jobs take turns with other work of their key', () => {
  function createWithTurns() {
    const serial = createSerialWork<number>();
    const keyOf = (job: number) => job % 2;
    return { serial, ...create({ keyOf, inTurn: (job, writeBatch) => serial.run(keyOf(job), writeBatch) }) };
  }

  test('writes together what arrives before its turn, a few at a time', async () => {
    const { batches, batcher } = createWithTurns();
    const jobs = [1, 3, 5, 7, 9, 11, 13];
    expect(await Promise.all(jobs.map((job) => batcher.add(job)))).toEqual(jobs.map(String));
    expect(batches).toEqual([[1, 3, 5], [7, 9, 11], [13]]);
  });

  test('waits for other work of the key, not for that of another', async () => {
    const { serial, batches, batcher } = createWithTurns();
    let finish!: () => void;
    const other = serial.run(1, () => new Promise<void>((resolve) => (finish = resolve)));
    const jobs = [batcher.add(1), batcher.add(3)];
    await batcher.add(2);
    expect(batches).toEqual([[2]]);
    finish();
    await Promise.all([other, ...jobs]);
    expect(batches).toEqual([[2], [1, 3]]);
  });
});

describe('while batching is switched off', () => {
  beforeEach(() => switchOff(new Set(['batching'])));
  afterEach(() => switchOff(new Set()));

  it('writes every job alone, and none waits for another', async () => {
    const { batches, batcher } = create({ fails: (jobs) => jobs.includes(2) });
    const adding = Promise.allSettled([1, 2, 3].map((job) => batcher.add(job)));
    expect(batches).toEqual([[1], [2], [3]]);
    expect((await adding).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('still lets jobs of a key take turns with its other work', async () => {
    const serial = createSerialWork<string>();
    const { batches, batcher } = create({ inTurn: (_job, writeBatch) => serial.run('key', writeBatch) });
    let finish!: () => void;
    const other = serial.run('key', () => new Promise<void>((resolve) => (finish = resolve)));
    const jobs = [batcher.add(1), batcher.add(2)];
    expect(batches).toEqual([]);
    await Promise.resolve();
    finish();
    await Promise.all([other, ...jobs]);
    expect(batches).toEqual([[1], [2]]);
  });
});

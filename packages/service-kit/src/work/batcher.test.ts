import { createCoalescer } from './batcher';

function stage({
  fails = () => false,
  laneOf,
}: { fails?: (jobs: number[]) => boolean; laneOf?: (job: number) => unknown } = {}) {
  const batches: number[][] = [];
  const coalescer = createCoalescer<number, string>({
    batchSize: 3,
    laneOf,
    write: async (jobs) => {
      batches.push(jobs);
      await Promise.resolve();
      if (fails(jobs)) {
        throw new Error(`cannot write ${jobs.join()}`);
      }
      return jobs.map(String);
    },
  });
  return { batches, coalescer };
}

test('the first goes at once, what comes meanwhile goes together', async () => {
  const { batches, coalescer } = stage();
  const results = await Promise.all([1, 2, 3, 4, 5].map((job) => coalescer.add(job)));
  expect(results).toEqual(['1', '2', '3', '4', '5']);
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
});

test('a batch that fails is written one by one, and only the culprit hears of it', async () => {
  const { coalescer } = stage({ fails: (jobs) => jobs.includes(3) });
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((job) => coalescer.add(job)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('lanes neither share a batch nor wait for each other', async () => {
  const { batches, coalescer } = stage({ laneOf: (job) => job % 2 });
  await Promise.all([1, 2, 3, 4, 5, 6].map((job) => coalescer.add(job)));
  expect(batches).toEqual([[1], [2], [3, 5], [4, 6]]);
  await coalescer.add(7);
  expect(batches.at(-1)).toEqual([7]);
});

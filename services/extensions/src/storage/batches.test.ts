import { runInScope } from '@sabia/service-kit/request-scope';
import { createBatches } from './batches';
import { createTurns } from './turns';

function desk(write?: (jobs: string[]) => Promise<string[]>) {
  const seen: string[][] = [];
  const batches = createBatches<string, string>({
    turns: createTurns(),
    batchSize: 3,
    write: async (jobs) => {
      seen.push(jobs);
      return write === undefined ? jobs.map((job) => job.toUpperCase()) : write(jobs);
    },
  });
  return { batches, seen };
}

test('who comes at the same time is written together, a few at a time, and everybody gets the own answer', async () => {
  const { batches, seen } = desk();
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((job) => batches.add(1, job)));
  expect(answers).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G']);
  expect(seen).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]);
});

test('accounts are never mixed', async () => {
  const { batches, seen } = desk();
  await Promise.all([batches.add(1, 'a'), batches.add(2, 'b'), batches.add(1, 'c')]);
  expect(seen).toEqual([['a', 'c'], ['b']]);
});

test('when a batch fails each is tried alone', async () => {
  const { batches, seen } = desk(async (jobs) => {
    if (jobs.includes('bad')) {
      throw new Error('refused');
    }
    return jobs;
  });
  const results = await Promise.allSettled(['a', 'bad', 'c'].map((job) => batches.add(1, job)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(seen).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  await expect(batches.add(1, 'd')).resolves.toBe('d');
});

test('who has gone meanwhile is left out', async () => {
  const { batches, seen } = desk();
  const gone = new AbortController();
  const waiting = [
    batches.add(1, 'a'),
    runInScope({ requestId: 'x', signal: gone.signal }, () => batches.add(1, 'b')),
    batches.add(1, 'c'),
  ];
  gone.abort(new Error('gone'));
  const results = await Promise.allSettled(waiting);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(seen).toEqual([['a', 'c']]);
});

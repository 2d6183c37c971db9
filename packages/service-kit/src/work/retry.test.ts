import { growingPause, retry } from './retry';

const away = new Error('away');
const mayPass = (error: unknown) => error === away;

test('work is repeated until it succeeds, with the pause for its number of failures', async () => {
  const pauses: number[] = [];
  const pauseMs = (failures: number) => (pauses.push(failures), 0);
  let attempts = 0;
  const work = () => (++attempts < 4 ? Promise.reject(away) : Promise.resolve(attempts));
  expect(await retry(work, { mayPass, pauseMs })).toBe(4);
  expect(pauses).toEqual([1, 2, 3]);
});

test('a failure that does not pass by itself is thrown immediately', async () => {
  let attempts = 0;
  const work = () => ((attempts += 1), Promise.reject(new Error('no such column')));
  await expect(retry(work, { mayPass, pauseMs: () => 0 })).rejects.toThrow('no such column');
  expect(attempts).toBe(1);
});

test('an abort ends the pause; the work is tried once more and its failure is thrown', async () => {
  const stopping = new AbortController();
  let attempts = 0;
  const work = () => ((attempts += 1), Promise.reject(away));
  const retrying = retry(work, { mayPass, pauseMs: () => 3_600_000, signal: stopping.signal });
  await new Promise((resolve) => setImmediate(resolve));
  stopping.abort();
  await expect(retrying).rejects.toBe(away);
  expect(attempts).toBe(2);
});

test('growing pauses double up to the longest one', () => {
  expect([1, 2, 3, 4, 9].map(growingPause(100, 700))).toEqual([100, 200, 400, 700, 700]);
});

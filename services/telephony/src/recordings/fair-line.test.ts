import { setImmediate as turn } from 'node:timers/promises';
import { currentScope, runInScope } from '@sabia/service-kit/request-scope';
import { createFairLine } from './fair-line';

/** Work that ends when it is told to. */
function openLine(longest = 100) {
  const line = createFairLine({ longest });
  const begun: string[] = [];
  let end = (): void => undefined;
  const ask = (accountId: number, name: string, atMost = 20) =>
    line.run(accountId, atMost, () => {
      begun.push(name);
      return new Promise<string>((resolve) => (end = () => resolve(name)));
    });
  return { begun, ask, endOne: async () => (end(), await turn()) };
}

test('one job at a time; an account with one job does not wait for all jobs of another', async () => {
  const { begun, ask, endOne } = openLine();
  const asked = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => ask(name.charCodeAt(0), name));
  expect(begun).toEqual(['a1']);
  for (let each = 0; each < asked.length; each += 1) await endOne();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
});

test('a failed job does not block the others', async () => {
  const line = createFairLine({ longest: 1 });
  await expect(line.run(1, 1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await line.run(1, 1, async () => 'done')).toBe('done');
});

test('more waiting jobs than an account or all accounts may have are refused with a retry time', async () => {
  const { ask } = openLine(3);
  const busy = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 10 };
  void [ask(1, 'under way', 2), ask(1, 'waits', 2), ask(1, 'waits', 2)];
  await expect(ask(1, 'too much', 2)).rejects.toMatchObject(busy);
  void ask(2, 'waits', 2);
  await expect(ask(3, 'the line is full', 2)).rejects.toMatchObject(busy);
});

test('a job does not run in the scope of a request, which may be gone by then', async () => {
  const line = createFairLine({ longest: 10 });
  const request = { requestId: 'gone', signal: AbortSignal.abort() };
  expect(await runInScope(request, () => line.run(1, 1, async () => currentScope()))).toBeUndefined();
});

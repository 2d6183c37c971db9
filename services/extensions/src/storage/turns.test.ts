import { createTurns } from './turns';

const deferred = () => {
  let finish!: () => void;
  const promise = new Promise<void>((resolve) => (finish = resolve));
  return { promise, finish };
};

test('one account goes one by one, in order of arrival, and does not hold up another', async () => {
  const turns = createTurns();
  const gate = deferred();
  const seen: string[] = [];
  const first = turns.take(1, async () => {
    await gate.promise;
    seen.push('first');
  });
  const second = turns.take(1, async () => void seen.push('second'));
  await turns.take(2, async () => void seen.push('other'));
  expect(seen).toEqual(['other']);
  gate.finish();
  await Promise.all([first, second]);
  expect(seen).toEqual(['other', 'first', 'second']);
});

test('a failure is told to its own caller alone', async () => {
  const turns = createTurns();
  const failing = turns.take(1, () => Promise.reject(new Error('mine')));
  const next = turns.take(1, async () => 'fine');
  await expect(failing).rejects.toThrow('mine');
  await expect(next).resolves.toBe('fine');
});

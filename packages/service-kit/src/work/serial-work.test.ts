import { createSerialWork } from './serial-work';

function deferred() {
  let finish!: () => void;
  const promise = new Promise<void>((resolve) => (finish = resolve));
  return { promise, finish };
}

test('work of one key runs one by one in order of arrival and does not delay another key', async () => {
  const serial = createSerialWork<number>();
  const gate = deferred();
  const seen: string[] = [];
  const first = serial.run(1, async () => {
    await gate.promise;
    seen.push('first');
  });
  const second = serial.run(1, async () => void seen.push('second'));
  await serial.run(2, async () => void seen.push('other'));
  expect(seen).toEqual(['other']);
  gate.finish();
  await Promise.all([first, second]);
  expect(seen).toEqual(['other', 'first', 'second']);
});

test('a failure is reported to its own caller only, and the next work follows', async () => {
  const serial = createSerialWork<number>();
  const failing = serial.run(1, () => Promise.reject(new Error('mine')));
  const next = serial.run(1, async () => 'fine');
  await expect(failing).rejects.toThrow('mine');
  await expect(next).resolves.toBe('fine');
});

test('idle waits for the work of all keys, also for work that fails', async () => {
  const serial = createSerialWork<string>();
  const gate = deferred();
  const seen: string[] = [];
  serial.run('a', () => Promise.reject(new Error('failed'))).catch(() => seen.push('a failed'));
  void serial.run('a', async () => void seen.push('a'));
  void serial.run('b', () => gate.promise.then(() => void seen.push('b')));
  const idle = serial.idle().then(() => seen.push('idle'));
  gate.finish();
  await idle;
  expect(seen.at(-1)).toBe('idle');
  expect(seen).toHaveLength(4);
});

import { createConcurrencyLimit } from './concurrency-limit';

function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

test('never more at a time than allowed, in the order of arrival', async () => {
  const limit = createConcurrencyLimit(2, 10);
  const gates = Array.from({ length: 4 }, gate);
  const started: number[] = [];
  const all = gates.map(({ opened }, index) =>
    limit.run(async () => {
      started.push(index);
      await opened;
    }),
  );
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  gates[1]!.open();
  await all[1];
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  gates.forEach(({ open }) => open());
  await Promise.all(all);
  expect(started).toEqual([0, 1, 2, 3]);
});

test('a failure gives its place back', async () => {
  const limit = createConcurrencyLimit(1, 10);
  await expect(limit.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limit.run(() => Promise.resolve(1))).resolves.toBe(1);
});

test('a full queue is refused as unavailable', async () => {
  const limit = createConcurrencyLimit(1, 1);
  const { open, opened } = gate();
  const running = limit.run(() => opened);
  const waiting = limit.run(() => Promise.resolve());
  await expect(limit.run(() => Promise.resolve())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  open();
  await Promise.all([running, waiting]);
});

test('a job that gives up leaves the queue and takes no place', async () => {
  const limit = createConcurrencyLimit(1, 10);
  const { open, opened } = gate();
  const running = limit.run(() => opened);
  const abort = new AbortController();
  const work = jest.fn(() => Promise.resolve());
  const waiting = limit.run(work, abort.signal);
  abort.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  open();
  await running;
  await limit.run(() => Promise.resolve());
  expect(work).not.toHaveBeenCalled();
});

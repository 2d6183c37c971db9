import { createLogger } from '../logging';
import { createPeriodicWork } from './periodic-work';
import type { PeriodicWorkOptions } from './periodic-work';

const hour = 3_600_000;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    await tick();
  }
}

/** Periodic work with its log lines; the pause is so long that only a wake-up ends it. */
function create(options: Partial<PeriodicWorkOptions> & Pick<PeriodicWorkOptions, 'work'>) {
  const lines: { level: string; work: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) };
  const log = createLogger({ name: 'test', level: 'debug', destination });
  return { lines, periodic: createPeriodicWork({ name: 'sweep', everyMs: hour, log, ...options }) };
}

test('the first round begins immediately, the next one after the pause', async () => {
  let rounds = 0;
  const { periodic } = create({ everyMs: 1, work: async () => void (rounds += 1) });
  expect(rounds).toBe(0);
  periodic.start();
  expect(rounds).toBe(1);
  await until(() => rounds === 3);
  await periodic.stop();
  const roundsAtStop = rounds;
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(rounds).toBe(roundsAtStop);
});

test('rounds follow without a pause while there is more to do', async () => {
  const left = [10, 10, 3];
  const { periodic } = create({ work: async () => left.shift() === 10 });
  periodic.start();
  await until(() => left.length === 0);
  await periodic.stop();
});

test('a wake-up ends the pause, or skips the next one when it comes during a round', async () => {
  let rounds = 0;
  let finish: () => void = () => undefined;
  const { periodic } = create({
    work() {
      rounds += 1;
      return new Promise<void>((resolve) => (finish = resolve));
    },
  });
  periodic.start();
  periodic.wake();
  periodic.wake();
  finish();
  await until(() => rounds === 2);
  finish();
  await tick();
  await tick();
  expect(rounds).toBe(2);
  periodic.wake();
  await until(() => rounds === 3);
  finish();
  await periodic.stop();
  expect(rounds).toBe(3);
});

test('a failed round is tried again, with one warning per outage', async () => {
  let rounds = 0;
  const { periodic, lines } = create({
    everyMs: 0,
    retryMs: 1,
    async work() {
      rounds += 1;
      if (rounds !== 3) {
        throw new Error('away');
      }
    },
  });
  periodic.start();
  await until(() => rounds >= 4);
  await periodic.stop();
  expect(lines.slice(0, 3).map(({ level, work }) => [level, work])).toEqual([
    ['warn', 'sweep'],
    ['debug', 'sweep'],
    ['warn', 'sweep'],
  ]);
});

test('a wake-up does not shorten the pause after a failure', async () => {
  let rounds = 0;
  const { periodic, lines } = create({
    work() {
      rounds += 1;
      return Promise.reject(new Error('away'));
    },
  });
  periodic.start();
  await until(() => lines.length === 1);
  periodic.wake();
  await tick();
  await tick();
  expect(rounds).toBe(1);
  await periodic.stop();
});

test('stopping aborts the signal of the current round, waits for it and begins no other', async () => {
  let rounds = 0;
  let aborted = false;
  let finish: () => void = () => undefined;
  const { periodic } = create({
    everyMs: 0,
    work(signal) {
      rounds += 1;
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise<void>((resolve) => (finish = resolve));
    },
  });
  periodic.start();
  let stopped = false;
  const stopping = periodic.stop().then(() => (stopped = true));
  await tick();
  expect([aborted, stopped]).toEqual([true, false]);
  finish();
  await stopping;
  expect(rounds).toBe(1);
});

test('work that was stopped before its start never begins', async () => {
  const work = jest.fn(async () => undefined);
  const { periodic } = create({ work });
  await periodic.stop();
  periodic.start();
  await tick();
  expect(work).not.toHaveBeenCalled();
});

test('works with the same period do not go on in step, and none pauses for longer than its period', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  try {
    const begun: number[] = [];
    const works = Array.from({ length: 20 }, () =>
      create({ everyMs: 1_000, work: async () => void begun.push(Date.now()) }),
    );
    const startedAt = Date.now();
    works.forEach(({ periodic }) => periodic.start());
    await tick();
    await jest.advanceTimersByTimeAsync(899);
    expect(begun).toHaveLength(20);
    await jest.advanceTimersByTimeAsync(101);
    const seconds = begun.slice(20).map((at) => at - startedAt);
    expect(seconds).toHaveLength(20);
    expect(new Set(seconds).size).toBeGreaterThan(5);
    await Promise.all(works.map(({ periodic }) => periodic.stop()));
  } finally {
    jest.useRealTimers();
  }
});

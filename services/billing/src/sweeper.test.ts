import { createLogger } from '@sabia/service-kit/logging';
import { createSweeper } from './sweeper';

const log = createLogger({ name: 'test', level: 'silent' });

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('sweeps again after the pause, also after a failure', async () => {
  let sweeps = 0;
  const sweeper = createSweeper({
    name: 'test',
    everyMs: 1_000,
    log,
    sweep: async () => {
      sweeps++;
      if (sweeps === 2) {
        throw new Error('the database is away');
      }
    },
  });
  sweeper.start();
  expect(sweeps).toBe(0);
  await jest.advanceTimersByTimeAsync(3_000);
  expect(sweeps).toBe(3);
  await sweeper.stop();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(sweeps).toBe(3);
});

test('goes on at once while there is more than one sweep can take', async () => {
  const left = [10, 10, 3];
  const sweeper = createSweeper({
    name: 'test',
    everyMs: 1_000,
    fullAt: 10,
    log,
    sweep: async () => left.shift() ?? 0,
  });
  sweeper.start();
  await jest.advanceTimersByTimeAsync(1_050);
  expect(left).toEqual([]);
  await sweeper.stop();
});

test('stopping waits for the sweep at hand and begins no other', async () => {
  let finish: (() => void) | undefined;
  let sweeps = 0;
  const sweeper = createSweeper({
    name: 'test',
    everyMs: 10,
    log,
    sweep: () => {
      sweeps++;
      return new Promise<void>((resolve) => (finish = resolve));
    },
  });
  sweeper.start();
  await jest.advanceTimersByTimeAsync(10);
  let stopped = false;
  const stopping = sweeper.stop().then(() => (stopped = true));
  await jest.advanceTimersByTimeAsync(100);
  expect(stopped).toBe(false);
  finish?.();
  await stopping;
  await jest.advanceTimersByTimeAsync(100);
  expect(sweeps).toBe(1);
});

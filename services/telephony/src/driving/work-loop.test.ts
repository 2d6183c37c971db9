import { startWorkLoop } from './work-loop';

const hour = 3_600_000;
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

async function until(is: () => boolean): Promise<void> {
  while (!is()) await tick();
}

test('a round follows when it is woken, also if that was during the round before', async () => {
  let rounds = 0;
  let finish: () => void = () => undefined;
  const work = () => {
    rounds += 1;
    return new Promise<void>((resolve) => (finish = resolve));
  };
  const loop = startWorkLoop({ work, pauseMs: hour, retryMs: hour, onFailure: () => undefined });
  loop.wake();
  loop.wake();
  finish();
  await until(() => rounds === 2);
  finish();
  await tick();
  await tick();
  expect(rounds).toBe(2);
  loop.wake();
  await until(() => rounds === 3);
  finish();
  await loop.stop();
  expect(rounds).toBe(3);
});

test('a failure is told, with whether it is the first one, and nobody hurries it', async () => {
  const told: boolean[] = [];
  let rounds = 0;
  const work = async () => {
    rounds += 1;
    if (rounds !== 3) throw new Error('away');
  };
  const loop = startWorkLoop({ work, pauseMs: 0, retryMs: 1, onFailure: (_error, again) => told.push(again) });
  await until(() => rounds >= 4);
  await loop.stop();
  expect(told.slice(0, 3)).toEqual([false, true, false]);
});

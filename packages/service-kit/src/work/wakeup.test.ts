import { createWakeup } from './wakeup';

test('a sleep ends when its time is over', async () => {
  await expect(createWakeup().sleep(1)).resolves.toBeUndefined();
});

test('a poke ends the current sleep', async () => {
  const wakeup = createWakeup();
  const sleep = wakeup.sleep(60_000);
  wakeup.poke();
  await sleep;
});

test('pokes from before end the next sleep, and only that one', async () => {
  const wakeup = createWakeup();
  wakeup.poke();
  wakeup.poke();
  await wakeup.sleep(60_000);
  let awake = false;
  const second = wakeup.sleep(60_000).then(() => (awake = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(awake).toBe(false);
  wakeup.poke();
  await second;
});

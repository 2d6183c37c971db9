import { createWakeup } from './wakeup';

describe('wakeup', () => {
  it('sleeps until the time is over', async () => {
    const wakeup = createWakeup();
    await expect(wakeup.sleep(1)).resolves.toBeUndefined();
  });

  it('is woken by a poke', async () => {
    const wakeup = createWakeup();
    const sleep = wakeup.sleep(60_000);
    wakeup.poke();
    await sleep;
  });

  it('remembers a poke from before, but only one', async () => {
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
});

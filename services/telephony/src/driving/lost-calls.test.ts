import type { Database } from '@sabia/service-kit/postgres/database';
import { createLogger } from '@sabia/service-kit/logging';
import type { LiveCall } from '../domain/live-call';
import { createLostCalls } from './lost-calls';

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(start + seconds * 1000);

/** One conversation on a switch that nobody drives, and that was last seen before the test. */
function createStage() {
  const call = {
    ...{ id: 'call', switchName: 'one', aChannel: null, line: null, readyAt: null, requestedAt: null },
    ...{ startedAt: at(-90), placedAt: at(-90), answeredAt: at(-80), seenAt: at(-40), grantedSeconds: null },
  } as unknown as LiveCall;
  let seconds = 0;
  let ended = 0;
  const giveBack = jest.fn(() => Promise.resolve());
  const look = createLostCalls({
    database: { query: () => Promise.resolve(ended > 0 ? [] : [call]) } as unknown as Database,
    progress: { apply: () => Promise.resolve(void (ended += 1)) },
    left: { giveBack },
    policy: { ringSeconds: 60, hangupSeconds: 5 } as never,
    absenceSeconds: 15,
    onLinedUp: () => undefined,
    log: createLogger({ name: 'test', level: 'silent' }),
    now: () => at(seconds),
  });
  return {
    giveBack,
    /** How many calls have ended after a look at that second. */
    async lookAt(second: number) {
      seconds = second;
      await look();
      return ended;
    },
  };
}

describe('calls of switches that nobody drives', () => {
  it('end once a replica has looked for long enough to know that nobody takes the switch', async () => {
    const { lookAt } = createStage();
    for (const second of [0, 1, 2, 3, 4]) expect(await lookAt(second)).toBe(0);
    expect(await lookAt(5)).toBe(1);
  });

  it('do not end as soon as the database is back, before their driver has its lease again', async () => {
    const { lookAt } = createStage();
    for (const second of [0, 1, 2]) await lookAt(second);
    for (const second of [40, 41, 42, 43, 44]) expect(await lookAt(second)).toBe(0);
    expect(await lookAt(45)).toBe(1);
  });

  it('are looked at together with those that this replica has taken and could not place', async () => {
    const { giveBack, lookAt } = createStage();
    await lookAt(0);
    expect(giveBack).toHaveBeenCalledTimes(1);
    giveBack.mockRejectedValue(new Error('the database is away'));
    for (const second of [1, 2, 3, 4]) await lookAt(second);
    expect(await lookAt(5)).toBe(1);
    expect(giveBack).toHaveBeenCalledTimes(6);
  });
});

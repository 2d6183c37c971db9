import { randomUUID } from 'node:crypto';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createSerialWork } from '@sabia/service-kit/work/serial-work';
import type { LiveCall } from '../src/domain/live-call';
import { createLeftCalls } from '../src/driving/left-calls';
import { createRounds } from '../src/driving/rounds';
import type { Takers } from '../src/placing/taking';
import { takeLease } from '../src/storage/switch-leases';
import { SwitchAwayError } from '../src/switch/port';
import type { CallSwitch } from '../src/switch/port';
import { callToPlace, onCommit, openPlacement, useOwnDatabase } from './placing-stage';
import { silent as log } from './stage';

const home = useOwnDatabase();
const switchName = 'rounds';
const now = () => new Date();

/** The driver of a switch that notes what it is asked; `refuse`: how often it is away when a call is placed. */
async function openDriver({ refuse = 0 } = {}) {
  const term = (await takeLease(home.database, { switchName, holder: randomUUID(), seconds: 60 }))!;
  const placed: string[] = [];
  const compared: Pick<LiveCall, 'id' | 'placedAt'>[][] = [];
  const callSwitch = {
    name: switchName,
    async place({ id }: LiveCall) {
      if (refuse-- > 0) throw new SwitchAwayError('away');
      placed.push(id);
    },
    async reconcile(calls: LiveCall[]) {
      compared.push(calls.map(({ id, placedAt }) => ({ id, placedAt })));
    },
  } as unknown as CallSwitch;
  const takers: Takers = new Map();
  const rounds = createRounds({
    ...{ database: home.database, callSwitch, takers, log, now, term: { switchName, term }, ringSeconds: 45 },
    left: createLeftCalls({ database: home.database, onLinedUp: () => undefined, now }),
    duties: { see: () => Promise.resolve() },
    writer: { write: () => undefined, close: () => undefined },
    serial: createSerialWork<string>(),
    isEntitled: () => true,
    registry: { sight: () => Promise.resolve() },
    fetchRecordings: () => Promise.resolve(),
  });
  const place = (over: Database = home.database) =>
    openPlacement({ database: over, loads: { choose: () => switchName }, takers }).place(callToPlace({}));
  rounds.onConnected();
  await rounds.work();
  compared.length = 0;
  return { rounds, placed, compared, place };
}

afterEach(async () => {
  await home.database.query('DELETE FROM live_calls');
  await home.database.query('DELETE FROM switch_leases');
});

test('a call that is being written when the connection is lost and back is placed once, and not taken for lost', async () => {
  const { rounds, placed, compared, place } = await openDriver();
  let working: Promise<void> | undefined;
  const { id } = await place(
    onCommit(home.database, async () => {
      rounds.onLost();
      rounds.onConnected();
      working = rounds.work();
      // Long enough for a comparison that does not wait.
      await Promise.all([1, 2, 3, 4].map(() => home.database.query('SELECT pg_sleep(0.05)')));
    }),
  );
  await working;
  expect(compared).toEqual([[{ id, placedAt: null }]]);
  await rounds.work();
  expect(placed).toEqual([id]);
});

test('a call that the switch could not be asked for is placed when the switch is back', async () => {
  const { rounds, placed, place } = await openDriver({ refuse: 1 });
  const { id } = await place();
  await rounds.work();
  await rounds.work();
  expect(placed).toEqual([id]);
});

test('a driver that leaves gives back what it did not place before it is done', async () => {
  const { rounds, place } = await openDriver({ refuse: 1 });
  const { id } = await place();
  await rounds.idle();
  expect(await home.database.query('SELECT call_id, placed_at FROM live_calls')).toEqual([
    { call_id: id, placed_at: null },
  ]);
});

import { randomUUID } from 'node:crypto';
import type { ToldDelivery } from '../src/domain/told-delivery';
import { claimDeliveries } from '../src/storage/claims';
import { giveUpForDisabled } from '../src/storage/give-up';
import { writeResults } from '../src/storage/results';
import { callEvent, integrate, newAccount, openHome } from './harness';
import type { Home } from './harness';

let home: Home;

beforeAll(async () => {
  home = await openHome();
});

afterAll(() => home?.close());

const leaseUntil = new Date(Date.now() + 60_000);

async function giveUp(now: Date): Promise<string[]> {
  const told: ToldDelivery[] = [];
  await giveUpForDisabled(home.sql, now, new AbortController().signal, (_tx, dead) => {
    told.push(...dead);
    return Promise.resolve();
  });
  return told.map(({ deliveryId }) => deliveryId);
}

const inStatus = async (status: string): Promise<string[]> =>
  (await home.sql.query<{ id: string }>('SELECT id FROM delivery_log WHERE status = $1', [status])).map(({ id }) => id);
const dead = async (): Promise<string[]> =>
  (await home.sql.query<{ id: string }>('SELECT delivery_id AS id FROM dead_deliveries')).map(({ id }) => id);

test('what waits for a disabled webhook is given up; what is being sent is not, until its lease ends', async () => {
  const { ana, accountId } = newAccount();
  const service = await home.start();
  await integrate(service.as(ana), 'http://127.0.0.1:9/');
  await service.stop();
  // From here on nothing is sent.
  const tell = () => home.tell(callEvent('ended', { accountId }));
  const owner = randomUUID();
  await tell();
  await tell();
  const now = new Date(Date.now() + 1_000);
  const [sent, lost] = await claimDeliveries(home.sql, { now, leaseUntil, owner, limit: 10, rooms: new Map() });
  await tell();
  await home.sql.query(`UPDATE integrations SET disabled_at = now(), disabled_reason = 'Enough.'`);

  const given = await giveUp(now);
  expect(given).toHaveLength(1);
  expect(await dead()).toEqual(given);
  expect(await inStatus('dead')).toEqual(given);

  const attempt = { at: new Date(), latencyMs: 1, status: 200 };
  const outcome = { status: 'delivered' as const, gone: false };
  await writeResults(
    home.sql,
    [{ deliveryId: sent!.id, integrationId: sent!.integrationId, outcome, attempt }],
    [owner],
    now,
  );
  expect(await inStatus('delivered')).toEqual([sent!.id]);
  expect(await giveUp(new Date(leaseUntil.getTime() + 1))).toEqual([lost!.id]);
  expect(new Set(await dead())).toEqual(new Set([...given, lost!.id]));
  expect(await home.sql.query('SELECT FROM delivery_queue')).toEqual([]);
});

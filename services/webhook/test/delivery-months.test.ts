import { newEventId } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { monthFrom } from '@sabia/service-kit/postgres/partitions/months';
import { firstIdOf } from '@sabia/service-kit/postgres/partitions/time-in-ids';
import { eventually } from '@sabia/testkit/eventually';
import { createPartitionKeeper } from '../src/partition-keeper';
import { replayDelivery } from '../src/storage/replay-deliveries';
import { callEvent, deliveriesOf, deliveryWhen, integrate, newAccount, openHome } from './harness';
import type { Home } from './harness';
import { answerWith, openReceiver } from './receiver';
import type { Receiver } from './receiver';

const day = 24 * 60 * 60 * 1000;
const log = createLogger({ name: 'test', level: 'silent' });

let home: Home;
let receiver: Receiver;

/** As if the installation had had months for a year. */
beforeEach(async () => {
  home = await openHome();
  receiver = await openReceiver();
  const end = firstIdOf(monthFrom(new Date(), -12));
  await home.sql.query('ALTER TABLE delivery_log DETACH PARTITION delivery_log_before');
  await home.sql.query(
    `ALTER TABLE delivery_log ATTACH PARTITION delivery_log_before FOR VALUES FROM (MINVALUE) TO ('${end}')`,
  );
  await keepAt(new Date());
});

afterEach(async () => {
  await receiver?.close();
  await home?.close();
});

/** Tries again until no month was in use. */
const keepAt = (now: Date) =>
  eventually(() => createPartitionKeeper({ database: home.sql, log, now: () => now })().then(() => true));

const nameOf = (month: Date): string => `delivery_log_${month.toISOString().slice(0, 7).replace('-', '_')}`;

const partitions = async (): Promise<string[]> => {
  const rows = await home.sql.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'delivery_log'::regclass ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

const counts = async (): Promise<object> => {
  const [row] = await home.sql.query(
    `SELECT (SELECT count(*) FROM delivery_log) AS log, (SELECT count(*) FROM delivery_queue) AS queue,
       (SELECT count(*) FROM dead_deliveries) AS dead`,
  );
  return row!;
};

async function setUp() {
  const { ana, accountId } = newAccount();
  const setUp = await home.start();
  const { id } = await integrate(setUp.as(ana), receiver.url);
  await setUp.stop();
  return { ana, accountId, id };
}

test('a month goes when all of it has been kept for 30 days and nothing of it is to be sent, with the notes of what is dead', async () => {
  const { accountId, id, ana } = await setUp();
  receiver.answer = answerWith(410);
  await home.tell(callEvent('ended', { accountId }));
  const service = await home.start();
  const { id: deliveryId } = await deliveryWhen(service.as(ana), id, ({ status }) => status === 'dead');
  await service.stop();
  expect(await counts()).toEqual({ log: 1, queue: 0, dead: 1 });

  const month = monthFrom(new Date(), 0);
  const end = monthFrom(month, 1);
  await keepAt(new Date(end.getTime() + 30 * day));
  expect(await partitions()).toContain(nameOf(month));
  expect(await partitions()).not.toContain(nameOf(monthFrom(month, -1)));
  await replayDelivery(home.sql, { integrationId: id, id: deliveryId }, new Date());
  expect(await counts()).toEqual({ log: 1, queue: 1, dead: 0 });
  await keepAt(new Date(end.getTime() + 40 * day));
  expect(await partitions()).toContain(nameOf(month));

  await home.sql.query('DELETE FROM delivery_queue');
  await home.sql.query('INSERT INTO dead_deliveries VALUES ($1, $2, now())', [deliveryId, id]);
  await keepAt(new Date(end.getTime() + 38 * day));
  expect(await partitions()).not.toContain(nameOf(month));
  expect(await counts()).toEqual({ log: 0, queue: 0, dead: 0 });
});

test('what cannot be sent keeps its month for 30 days more, and then goes with it', async () => {
  const { accountId } = await setUp();
  await home.tell(callEvent('ended', { accountId }));
  expect(await counts()).toEqual({ log: 1, queue: 1, dead: 0 });
  const month = monthFrom(new Date(), 0);
  const end = monthFrom(month, 1);
  await keepAt(new Date(end.getTime() + 67 * day));
  expect(await partitions()).toContain(nameOf(month));
  await keepAt(new Date(end.getTime() + 68 * day));
  expect(await partitions()).not.toContain(nameOf(month));
  expect(await counts()).toEqual({ log: 0, queue: 0, dead: 0 });
});

test('an event that is older than all months that are kept is delivered, once however often it comes', async () => {
  const { accountId, id, ana } = await setUp();
  const years = { ...callEvent('ended', { accountId }), id: newEventId(new Date('2020-01-31T12:00:00Z')) };
  const future = { ...callEvent('ended', { accountId }), id: newEventId(new Date('2120-01-31T12:00:00Z')) };
  for (let told = 0; told < 2; told += 1) await home.tell(years, future);
  expect(await counts()).toEqual({ log: 2, queue: 2, dead: 0 });
  const homes = await home.sql.query<{ home: string }>(
    'SELECT tableoid::regclass::text AS home FROM delivery_log ORDER BY id',
  );
  const kept = [monthFrom(new Date(Date.now() - 8 * day), 0), monthFrom(new Date(), 0)];
  expect(homes).toEqual(kept.map((month) => ({ home: nameOf(month) })));
  expect(await partitions()).not.toContain('delivery_log_before');

  const service = await home.start();
  try {
    await eventually(async () => (await deliveriesOf(service.as(ana), id, { status: 'delivered' })).length === 2);
    expect(receiver.received).toHaveLength(2);
  } finally {
    await service.stop();
  }
});

test('the result of an attempt is written on the page of its delivery', async () => {
  const { accountId, id, ana } = await setUp();
  const service = await home.start();
  try {
    const count = 200;
    await home.tell(...Array.from({ length: count }, () => callEvent('ended', { accountId })));
    const list = () => service.as(ana).listDeliveries({ id, filter: '{"where":{"status":"delivered"}}' });
    await eventually(async () => (await list()).meta!.totalItemCount === count);
    await home.sql.query('SELECT pg_stat_force_next_flush()');
    const changes = await eventually(async () => {
      const [row] = await home.sql.query<{ all: number; hot: number }>(
        `SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relid = $1::regclass`,
        [nameOf(monthFrom(new Date(), 0))],
      );
      return row!.all === count && row!;
    });
    expect(changes.hot / changes.all).toBeGreaterThan(0.75);
  } finally {
    await service.stop();
  }
});

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { eventually } from '@sabia/testkit/eventually';
import { callEvent, deliveriesOf, integrate, movableClock, newAccount, openHome, testKey } from './harness';
import type { Home } from './harness';
import { answerWith, openReceiver } from './receiver';
import type { Receiver } from './receiver';

let home: Home;
let receiver: Receiver;

beforeAll(async () => {
  home = await openHome();
});

afterAll(() => home?.close());

beforeEach(async () => {
  receiver = await openReceiver();
});

afterEach(() => receiver.close());

/** A replica as a process of its own, which can be killed without warning. */
function spawnReplica(): ChildProcess {
  return spawn(process.execPath, [path.join(__dirname, '..', 'dist', 'main.js')], {
    stdio: 'ignore',
    env: {
      DATABASE_URL: home.database.url,
      NATS_URL: 'nats://127.0.0.1:1',
      GRPC_HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      ALLOW_PRIVATE_WEBHOOKS: 'true',
      WEBHOOK_KEYS: `${testKey.id}:${testKey.bytes.toString('base64')}`,
    },
  });
}

test('killed between the POST and the commit: sent again under the same webhook-id', async () => {
  const clock = movableClock();
  const { ana, accountId } = newAccount();
  const setUp = await home.start();
  const { id } = await integrate(setUp.as(ana), receiver.url);
  await setUp.stop();

  // The receiver has got it, but its answer never comes.
  receiver.answer = () => undefined;
  const doomed = spawnReplica();
  const gone = new Promise((resolve) => doomed.once('exit', resolve));
  await home.tell(callEvent('ended', { accountId }));
  await eventually(() => receiver.received.length === 1);
  doomed.kill('SIGKILL');
  await gone;

  receiver.answer = answerWith(200);
  const heir = await home.start({ now: clock.now });
  try {
    // Until the lease ends the delivery belongs to the dead process.
    expect(await deliveriesOf(heir.as(ana), id)).toMatchObject([{ status: 'pending', attempts: [] }]);
    clock.forward(60_000);
    await eventually(async () => (await deliveriesOf(heir.as(ana), id))[0]?.status === 'delivered');
    const [first, second] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
  } finally {
    await heir.stop();
  }
});

test('two replicas share the work, and nothing has two owners', async () => {
  const { ana, accountId } = newAccount();
  const replicas = [await home.start(), await home.start()];
  try {
    const webhooks = replicas[0]!.as(ana);
    const { id } = await integrate(webhooks, receiver.url);
    receiver.answer = (_request, response) => setTimeout(() => response.writeHead(204).end(), 5);
    const count = 600;
    for (let told = 0; told < count; told += 100) {
      await home.tell(...Array.from({ length: 100 }, () => callEvent('ended', { accountId })));
    }
    await eventually(
      async () =>
        (await webhooks.listDeliveries({ id, filter: '{"where":{"status":"delivered"}}' })).meta!.totalItemCount ===
        count,
    );
    expect(receiver.received).toHaveLength(count);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
    const [attempts] = await home.sql.query<{ count: number }>(
      'SELECT sum(cardinality(attempts))::integer AS count FROM delivery_log WHERE integration_id = $1',
      [id],
    );
    expect(attempts!.count).toBe(count);
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
  }
});

test('a replica that is stopped finishes the requests it has begun', async () => {
  const { ana, accountId } = newAccount();
  const replica = await home.start();
  const { id } = await integrate(replica.as(ana), receiver.url);
  receiver.answer = (_request, response) => setTimeout(() => response.writeHead(200).end(), 300);
  await home.tell(callEvent('ended', { accountId }));
  await eventually(() => receiver.received.length === 1);
  await replica.stop();
  const rows = await home.sql.query('SELECT status FROM delivery_log WHERE integration_id = $1', [id]);
  expect(rows).toEqual([{ status: 'delivered' }]);
});

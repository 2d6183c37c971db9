import { randomBytes } from 'node:crypto';
import { eventually } from '@sabia/testkit/eventually';
import { refusal } from '@sabia/testkit/refused-rpc';
import { Webhook } from 'standardwebhooks';
import { removeAllLeftovers } from '../src/storage/deleted-integrations';
import { callEvent, integrate, movableClock, newAccount, openHome, testKey } from './harness';
import type { Home } from './harness';
import { openReceiver } from './receiver';
import type { Received, Receiver } from './receiver';

const hour = 60 * 60 * 1000;
let home: Home;
let receiver: Receiver;

beforeAll(async () => {
  home = await openHome();
  receiver = await openReceiver();
});

afterAll(async () => {
  await receiver?.close();
  await home?.close();
});

afterEach(() => jest.restoreAllMocks());

/** The package compares the timestamp with its own clock. */
function verifies(secret: string, { body, headers }: Received, now: Date): boolean {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now.getTime());
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  } finally {
    clock.mockRestore();
  }
}

async function next(accountId: number): Promise<Received> {
  const before = receiver.received.length;
  await home.tell(callEvent('ended', { accountId }));
  await eventually(() => receiver.received.length > before);
  return receiver.received[before]!;
}

test('the old secret signs for 24 hours more, and not a minute longer', async () => {
  const clock = movableClock();
  const service = await home.start({ now: clock.now });
  try {
    const { ana, accountId } = newAccount();
    const webhooks = service.as(ana);
    const { id, webhookSecret: old } = await integrate(webhooks, receiver.url);
    const { integration } = await webhooks.rotateSecret({ id });
    const fresh = integration!.webhookSecret!;

    const atOnce = await next(accountId);
    expect([old!, fresh].map((secret) => verifies(secret, atOnce, clock.now()))).toEqual([true, true]);
    clock.forward(24 * hour - 60_000);
    const justBefore = await next(accountId);
    expect(String(justBefore.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect([old!, fresh].map((secret) => verifies(secret, justBefore, clock.now()))).toEqual([true, true]);
    clock.forward(2 * 60_000);
    const after = await next(accountId);
    expect([old!, fresh].map((secret) => verifies(secret, after, clock.now()))).toEqual([false, true]);
  } finally {
    await service.stop();
  }
});

test('each of several rotations within a day, a retried one too, leaves every secret its own 24 hours', async () => {
  const clock = movableClock();
  const service = await home.start({ now: clock.now });
  try {
    const { ana, accountId } = newAccount();
    const webhooks = service.as(ana);
    const { id, webhookSecret } = await integrate(webhooks, receiver.url);
    const rotate = async () => (await webhooks.rotateSecret({ id })).integration!.webhookSecret!;
    const signing = async (secrets: string[]) => {
      const request = await next(accountId);
      expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(
        secrets.filter((secret) => verifies(secret, request, clock.now())).length,
      );
      return secrets.map((secret) => verifies(secret, request, clock.now()));
    };

    // The first answer got lost on its way, so the client asked again.
    const [lost, second] = await Promise.all([rotate(), rotate()]);
    clock.forward(10 * hour);
    const secrets = [webhookSecret!, lost, second, await rotate()];
    expect(await signing(secrets)).toEqual([true, true, true, true]);
    clock.forward(14 * hour + 60_000);
    // The later one of the two at once was displaced by the rotation ten hours later.
    expect((await signing(secrets)).filter(Boolean)).toHaveLength(2);
    expect((await signing(secrets))[3]).toBe(true);
    clock.forward(10 * hour);
    expect(await signing(secrets)).toEqual([false, false, false, true]);
  } finally {
    await service.stop();
  }
});

test('no more than ten secrets sign at a time: a further rotation is refused and says when the next one is possible', async () => {
  const clock = movableClock();
  const service = await home.start({ now: clock.now });
  try {
    const webhooks = service.as(newAccount().ana);
    const { id } = await integrate(webhooks, receiver.url);
    for (let rotation = 1; rotation < 10; rotation += 1) {
      await webhooks.rotateSecret({ id });
    }
    const { code, message } = await refusal(webhooks.rotateSecret({ id }));
    expect(code).toBe('TOO_MANY_SECRETS');
    expect(message).toMatch(/^Ten secrets of the integration are in use; the oldest ends at \d{4}-\d\d-\d\dT/);
    clock.forward(24 * hour + 60_000);
    await webhooks.rotateSecret({ id });
  } finally {
    await service.stop();
  }
});

test('secrets are encrypted with the newest key in the background; then the old key can be removed', async () => {
  const { ana, accountId } = newAccount();
  const newKey = { id: 'new', bytes: randomBytes(32) };
  const keyIds = () =>
    home.sql.query<{ current: string; previous: string | null; older: string | null }>(
      `SELECT secret_key_id AS current, previous_secret_key_id AS previous, older_secrets->0->>'keyId' AS older
       FROM integrations WHERE account_id = $1`,
      [accountId],
    );

  const before = await home.start({ secretKeys: [testKey] });
  const { id, webhookSecret: old } = await integrate(before.as(ana), receiver.url);
  const { integration: between } = await before.as(ana).rotateSecret({ id });
  const { integration } = await before.as(ana).rotateSecret({ id });
  await before.stop();
  expect(await keyIds()).toEqual([{ current: 'test', previous: 'test', older: 'test' }]);

  const during = await home.start({ secretKeys: [newKey, testKey] });
  await eventually(async () => (await keyIds())[0]?.previous === 'new');
  await during.stop();
  expect(await keyIds()).toEqual([{ current: 'new', previous: 'new', older: 'new' }]);
  expect(during.logged()).toContain('all secrets of webhooks are encrypted with the current key');

  const after = await home.start({ secretKeys: [newKey] });
  try {
    const request = await next(accountId);
    const secrets = [old!, between!.webhookSecret!, integration!.webhookSecret!];
    expect(secrets.map((secret) => verifies(secret, request, new Date()))).toEqual([true, true, true]);
    const { integrations } = await after.as(ana).listIntegrations({});
    expect(integrations[0]!.webhookSecret).toBe(integration!.webhookSecret);
  } finally {
    await after.stop();
  }
});

test('a key that was removed too early is named in the log, and its deliveries wait', async () => {
  const { ana, accountId } = newAccount();
  const before = await home.start({ secretKeys: [{ id: 'lost', bytes: randomBytes(32) }] });
  const { id } = await integrate(before.as(ana), receiver.url);
  await before.stop();

  const after = await home.start({ secretKeys: [{ id: 'other', bytes: randomBytes(32) }] });
  try {
    await home.tell(callEvent('ended', { accountId }));
    await eventually(() => after.logged().includes('\\"lost\\", which WEBHOOK_KEYS does not hold'));
    await eventually(() => after.logged().includes('deliveries of an integration cannot be signed'));
    const [row] = await home.sql.query<{ status: string }>(
      'SELECT status FROM delivery_log WHERE integration_id = $1',
      [id],
    );
    expect(row!.status).toBe('pending');
  } finally {
    await after.stop();
  }
  await home.sql.query('DELETE FROM integrations WHERE id = $1', [id]);
  await removeAllLeftovers(home.sql, new AbortController().signal);
  expect(await home.sql.query('SELECT FROM delivery_log WHERE integration_id = $1', [id])).toEqual([]);
});

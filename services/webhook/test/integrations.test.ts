import { randomUUID } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { newEventId } from '@sabia/service-kit/events/outbox';
import { refusal } from '@sabia/testkit/refused-rpc';
import { removeAllLeftovers } from '../src/storage/deleted-integrations';
import { replayDeliveries } from '../src/storage/replay-deliveries';
import { callEvent, deliveriesOf, integrate, newAccount, openHome } from './harness';
import type { Home, RunningWebhook } from './harness';

let home: Home;
let service: RunningWebhook;

beforeAll(async () => {
  home = await openHome();
  service = await home.start();
});

afterAll(async () => {
  await service?.stop();
  await home?.close();
});

const url = 'http://127.0.0.1:9/';

test('created, then changed by id, by gateway, and with an id of 0', async () => {
  const { ana } = newAccount();
  const webhooks = service.as(ana);
  const metadata = '{ "b":1.0, "a":{"x":[1, 2]} }';
  const { integration } = await webhooks.upsertIntegration({ gateway: 'crm', metadata });
  expect(integration).toMatchObject({ gateway: 'crm', webhook: false, metadata, webhookSecret: undefined });
  const id = integration!.id;

  const byId = await webhooks.upsertIntegration({ id, gateway: 'erp' });
  expect(byId.integration).toMatchObject({ id, gateway: 'erp', metadata });
  const byGateway = await webhooks.upsertIntegration({ gateway: 'erp', webhookConstraint: '{"metadata":{"a": 1}}' });
  expect(byGateway.integration).toMatchObject({ id, webhookConstraint: '{"metadata":{"a": 1}}' });
  const withZero = await webhooks.upsertIntegration({ id: 0, gateway: 'other' });
  expect(withZero.integration!.id).not.toBe(id);
  expect(await refusal(webhooks.upsertIntegration({ id, gateway: 'other' }))).toMatchObject({
    codes: { gateway: 'uniqueness' },
  });
});

test('created only if there is none yet, also of two requests at once', async () => {
  const { ana, bob } = newAccount();
  const createCrm = (caller = ana) => service.as(caller).upsertIntegration({ gateway: 'crm', createOnly: true });
  const outcomes = await Promise.allSettled([createCrm(), createCrm(), createCrm()]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const refused = await refusal(createCrm());
  expect(refused).toMatchObject({ kind: ErrorKind.ALREADY_EXISTS, code: 'ALREADY_EXISTS' });
  const theirs = await createCrm(bob);
  const again = service.as(bob).upsertIntegration({ id: theirs.integration!.id, createOnly: true });
  expect(await refusal(again)).toMatchObject({ kind: ErrorKind.ALREADY_EXISTS });
});

test('the gateway of another user is another integration; an id works for the whole account', async () => {
  const { ana, bob } = newAccount();
  const mine = await integrate(service.as(ana), url);
  const theirs = await integrate(service.as(bob), url);
  expect(theirs.id).not.toBe(mine.id);
  const changed = await service.as(bob).upsertIntegration({ id: mine.id, webhook: false });
  expect(changed.integration).toMatchObject({ id: mine.id, webhook: false });
});

test('ten at once are one integration', async () => {
  const { ana } = newAccount();
  const made = await Promise.all(Array.from({ length: 10 }, () => integrate(service.as(ana), url)));
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
});

test('another account finds nothing', async () => {
  const { id } = await integrate(service.as(newAccount().ana), url);
  const stranger = service.as(newAccount().ana);
  const calls = [
    stranger.upsertIntegration({ id, gateway: 'x' }),
    stranger.deleteIntegration({ id }),
    stranger.rotateSecret({ id }),
    stranger.testIntegration({ id }),
    stranger.listDeliveries({ id }),
    stranger.replayDelivery({ id, deliveryId: randomUUID() }),
    stranger.replayDeliveries({ id }),
  ];
  for (const call of calls) {
    expect(await refusal(call)).toMatchObject({ kind: ErrorKind.NOT_FOUND, code: 'MODEL_NOT_FOUND' });
  }
  expect(await stranger.listIntegrations({})).toEqual({ integrations: [] });
});

test('listed by gateway and by metadata; deleted for good', async () => {
  const webhooks = service.as(newAccount().ana);
  const one = await integrate(webhooks, url, { gateway: 'one', team: 'sales' });
  await integrate(webhooks, url, { gateway: 'two' });
  const list = async (where: object) =>
    (await webhooks.listIntegrations({ filter: JSON.stringify({ where }) })).integrations.map(({ gateway }) => gateway);
  expect(await list({})).toEqual(['one', 'two']);
  expect(await list({ gateway: 'two' })).toEqual(['two']);
  expect(await list({ 'metadata.team': 'sales' })).toEqual(['one']);
  expect(await refusal(list({ secret: 'x' }))).toMatchObject({ code: 'INVALID_FILTER' });
  await webhooks.deleteIntegration({ id: one.id });
  expect(await list({})).toEqual(['two']);
  expect(await refusal(webhooks.deleteIntegration({ id: one.id }))).toMatchObject({ code: 'MODEL_NOT_FOUND' });
});

test('deleting an integration deletes its deliveries and unmatched events, however many there are', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, url, { constraint: { team: 1 } });
  await home.tell(callEvent('ended', { accountId, metadata: '{"team":1}' }), callEvent('ended', { accountId }));
  await home.sql.query(
    `WITH added AS (
       INSERT INTO delivery_log (id, integration_id, event_id, event_type, payload, created_at)
       SELECT id, $1, gen_random_uuid(), 'channel-hangup', '{}', now() FROM unnest($2::uuid[]) AS id
       RETURNING *
     ), dead AS (
       INSERT INTO dead_deliveries (delivery_id, integration_id, created_at) SELECT id, integration_id, created_at FROM added
     )
     INSERT INTO delivery_queue (delivery_id, integration_id, position, due_at, created_at)
     SELECT id, integration_id, position, now() + interval '1 day', created_at FROM added`,
    [id, Array.from({ length: 2_500 }, () => newEventId())],
  );
  const left = async () => {
    const [row] = await home.sql.query<{ count: number }>(
      `SELECT (SELECT count(*) FROM delivery_list WHERE integration_id = $1)
         + (SELECT count(*) FROM deleted_integrations WHERE id = $1) AS count`,
      [id],
    );
    return row!.count;
  };
  expect(await left()).toBe(2_502);
  await webhooks.deleteIntegration({ id });
  expect(await left()).toBe(0);
  expect(await home.sql.query('SELECT FROM delivery_queue WHERE integration_id = $1', [id])).toEqual([]);
  expect(await home.sql.query('SELECT FROM dead_deliveries WHERE integration_id = $1', [id])).toEqual([]);

  // A row that another transaction has locked is left to housekeeping.
  const { id: other } = await integrate(webhooks, url, { webhookTypes: ['channel-hangup'] });
  await home.tell(callEvent('ended', { accountId }));
  await home.sql.transaction(async (tx) => {
    await tx.query('SELECT FROM delivery_log WHERE integration_id = $1 FOR UPDATE', [other]);
    await webhooks.deleteIntegration({ id: other });
  });
  const note = () => home.sql.query('SELECT id FROM deleted_integrations WHERE id = $1', [other]);
  expect(await note()).toHaveLength(1);
  await removeAllLeftovers(home.sql, new AbortController().signal);
  expect(await note()).toHaveLength(0);
  expect(await home.sql.query('SELECT FROM delivery_log WHERE integration_id = $1', [other])).toHaveLength(0);
});

test('a long span is replayed in chunks, each delivery once', async () => {
  const { ana } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, url);
  // Many of the same time, so that a chunk ends between them.
  await home.sql.query(
    `WITH added AS (
       INSERT INTO delivery_log (id, integration_id, event_id, event_type, payload, status, finished_at, created_at)
       SELECT id, $1, gen_random_uuid(), 'channel-hangup', '{}', 'dead', now(),
         date_trunc('second', now()) - (nth / 400) * interval '1 second'
       FROM unnest($2::uuid[]) WITH ORDINALITY AS dead (id, nth)
       RETURNING *
     )
     INSERT INTO dead_deliveries (delivery_id, integration_id, created_at) SELECT id, integration_id, created_at FROM added`,
    [id, Array.from({ length: 2_500 }, () => newEventId())],
  );
  const farAway = new Date(Date.now() + 3_600_000);
  const replay = (replayId: string) =>
    replayDeliveries(home.sql, { integrationId: id, replayId }, { status: 'dead' }, farAway);
  const replayId = randomUUID();
  expect(await replay(replayId)).toBe(2_500);
  expect(await replay(randomUUID())).toBe(0);
  expect((await webhooks.getReplay({ id, replayId })).replay).toMatchObject({ total: 2_500, pending: 2_500 });
  await webhooks.deleteIntegration({ id });
});

test('an account has as many integrations as it may, exactly, and changes those it has', async () => {
  const strict = await home.start({ maximumIntegrations: 3 });
  const webhooks = strict.as(newAccount().ana);
  try {
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, nth) =>
        webhooks.upsertIntegration({ gateway: `crm-${nth}` }).catch(() => undefined),
      ),
    );
    const [first, ...others] = asked.flatMap((answer) => (answer === undefined ? [] : [answer.integration!]));
    expect(others).toHaveLength(2);
    expect(await refusal(webhooks.upsertIntegration({ gateway: 'one-more' }))).toMatchObject({
      code: 'TOO_MANY_INTEGRATIONS',
    });
    const { integration } = await webhooks.upsertIntegration({ gateway: first!.gateway, metadata: '{"a":1}' });
    expect(integration).toMatchObject({ id: first!.id, metadata: '{"a":1}' });
    await webhooks.deleteIntegration({ id: first!.id });
    expect((await webhooks.upsertIntegration({ gateway: 'one-more' })).integration).toBeDefined();
  } finally {
    await strict.stop();
  }
});

test('the secret is not readable in the database', async () => {
  const { webhookSecret, id } = await integrate(service.as(newAccount().ana), url);
  expect(webhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const [row] = await home.sql.query<{ secret: Buffer }>('SELECT secret FROM integrations WHERE id = $1', [id]);
  expect(row!.secret.includes(Buffer.from(webhookSecret!.slice(6), 'base64'))).toBe(false);
});

test('pages of deliveries, newest first, and what a replay refuses', async () => {
  const { ana, accountId } = newAccount();
  const webhooks = service.as(ana);
  const { id } = await integrate(webhooks, url, { constraint: { team: 1 } });
  const calls = Array.from({ length: 5 }, () => ({ accountId, callId: randomUUID() }));
  for (const call of calls) {
    await home.tell(callEvent('ended', call));
  }
  const { data, meta } = await webhooks.listDeliveries({ id, page: 2, filter: '{"limit":2}' });
  expect(meta).toMatchObject({ totalItemCount: 5, totalPageCount: 3, currentPage: 2, nextPage: 3, previousPage: 1 });
  expect(data.map(({ callId }) => callId)).toEqual([calls[2]!.callId, calls[1]!.callId]);
  expect(await deliveriesOf(webhooks, id, { callId: calls[0]!.callId })).toHaveLength(1);

  expect(await refusal(webhooks.replayDelivery({ id, deliveryId: data[0]!.id }))).toMatchObject({
    code: 'NOT_MATCHED',
  });
  expect(await refusal(webhooks.replayDelivery({ id, deliveryId: 'x' }))).toMatchObject({ code: 'MODEL_NOT_FOUND' });
  expect(await refusal(webhooks.replayDeliveries({ id, from: 'x', status: 'y' }))).toMatchObject({
    codes: { from: 'format', status: 'inclusion' },
  });
  expect(await webhooks.replayDeliveries({ id })).toMatchObject({ count: 0 });
});

import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { billingEvents } from '@sabia/protos/events/billing';
import { identityEvents } from '@sabia/protos/events/identity';
import { webhookEvents } from '@sabia/protos/events/webhook';
import { DeliveriesRecorded } from '@sabia/protos/sabia/webhook/v1/events';
import { ChargeStatus } from '@sabia/protos/sabia/billing/v1/messages';
import { TokenRevoked } from '@sabia/protos/sabia/identity/v1/events';
import { broadcastSubject } from '@sabia/service-kit/events/nats/broadcast';
import { ensureStreams } from '@sabia/service-kit/events/nats/streams';
import { openEvents } from '@sabia/testkit/event-source';
import type { TestEventSource } from '@sabia/testkit/event-source';
import { eventually } from '@sabia/testkit/eventually';
import { testServers } from '@sabia/testkit/servers';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { hashToken } from '../src/access/authenticate';
import { startSetup } from './fixtures/harness';
import type { Setup, TestGateway } from './fixtures/harness';
import { publishCall, publishLive } from './fixtures/live-events';

let setup: Setup;
let second: TestGateway;
let nats: NatsConnection;
const sources: TestEventSource[] = [];

beforeAll(async () => {
  nats = await connect({ servers: new URL(testServers().natsUrl).host });
  await ensureStreams(nats);
  setup = await startSetup();
  second = await setup.addGateway();
  for (const gateway of [setup.gateway, second]) {
    await eventually(async () => (await gateway.ask('/readyz')).text.includes('"nats":"up"'));
  }
});
afterEach(() => sources.splice(0).forEach((source) => source.close()));
afterAll(async () => {
  await setup.close();
  await nats.close();
});

async function listen(
  gateway: TestGateway,
  options: { token: string; query?: string; lastEventId?: string },
): Promise<TestEventSource> {
  const source = await openEvents(gateway.url, options);
  sources.push(source);
  return source;
}

/** A token of an account that no other test uses. */
const addToken = (options: { userId?: number; expiresAt?: Date } = {}) =>
  setup.fake.addToken({ accountId: randomInt(2 ** 40), ...options });

const namesOf = ({ heard }: TestEventSource): string[] => heard.map(({ event }) => event);
const numbersOf = ({ heard }: TestEventSource): unknown[] => heard.map(({ data }) => data['balance']);
const balance = (accountId: number, number: number) =>
  publishLive(nats, accountId, billingEvents.balanceChanged, {
    balance: number * 10_000,
    reserved: 0,
    available: number * 10_000,
  });
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('GET /events', () => {
  it('tells what happens in the account of the caller, and nothing of others', async () => {
    const own = addToken();
    const other = addToken();
    const source = await listen(setup.gateway, own);
    expect(source.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const strange = await listen(setup.gateway, other);
    const callId = randomUUID();
    await publishCall(nats, own.caller.accountId, 'callCreated', callId);
    await balance(other.caller.accountId, 7);
    await publishLive(nats, own.caller.accountId, billingEvents.chargeReceived, {
      chargeId: 5,
      status: ChargeStatus.RECEIVED,
      amount: 100_000,
      paidAmount: 100_000,
      refundedAmount: 0,
    });
    await eventually(() => source.heard.length === 2 && strange.heard.length === 1);
    expect(source.heard.map(({ data }) => data)).toEqual([
      expect.objectContaining({ type: 'call.created', callId, status: 'queued', from: '1000', to: '5511999998888' }),
      expect.objectContaining({ type: 'charge.received', chargeId: 5, status: 'RECEIVED', amount: 10 }),
    ]);
    expect(source.heard[0]?.data['at']).toMatch(/^\d{4}-.*Z$/);
    expect(strange.heard.map(({ data }) => data)).toEqual([
      expect.objectContaining({ type: 'balance.changed', balance: 7 }),
    ]);
  });

  it('filters by type and by call', async () => {
    const { token, caller } = addToken();
    const [call, another] = [randomUUID(), randomUUID()];
    const byType = await listen(setup.gateway, { token, query: '?types=call.answered,balance.*' });
    const byCall = await listen(setup.gateway, { token, query: `?callId=${call.toUpperCase()}` });
    const all = await listen(setup.gateway, { token });
    for (const id of [call, another]) {
      await publishCall(nats, caller.accountId, 'callRinging', id);
      await publishCall(nats, caller.accountId, 'callAnswered', id);
    }
    await balance(caller.accountId, 1);
    await eventually(() => all.heard.length === 5);
    await eventually(() => byType.heard.length === 3 && byCall.heard.length === 2);
    expect(namesOf(byType)).toEqual(['call.answered', 'call.answered', 'balance.changed']);
    expect(byCall.heard.map(({ data }) => data['callId'])).toEqual([call, call]);
  });

  it('resumes in any replica where the client stopped, without a gap or a repetition', async () => {
    const { token, caller } = addToken();
    const first = await listen(setup.gateway, { token });
    for (const number of upTo(5)) await balance(caller.accountId, number);
    await eventually(() => first.heard.length === 5);
    first.close();
    for (const number of upTo(400)) await balance(caller.accountId, 5 + number);
    const resumed = await listen(second, { token, lastEventId: first.heard[2]!.id });
    const publishing = Promise.all(upTo(200).map((number) => balance(caller.accountId, 405 + number)));
    await Promise.all([publishing, eventually(() => resumed.heard.length >= 602)]);
    expect(new Set(numbersOf(resumed))).toEqual(new Set(upTo(605).slice(3)));
    expect(numbersOf(resumed).slice(0, 402)).toEqual(upTo(405).slice(3));
    // The same by the parameter, which a page uses that was loaded anew.
    const again = await listen(setup.gateway, { token, query: `?lastEventId=${resumed.heard[599]!.id}` });
    await eventually(() => again.heard.length === 2);
    expect(again.heard).toEqual(resumed.heard.slice(600));
  });

  it('resumes from its beginning when no event has come yet', async () => {
    const { token, caller } = addToken();
    const source = await listen(setup.gateway, { token });
    await eventually(() => source.lastEventId !== '' && source.retryMs !== undefined);
    source.close();
    await balance(caller.accountId, 1);
    const resumed = await listen(second, { token, lastEventId: source.lastEventId });
    await eventually(() => resumed.heard.length === 1);
  });

  it('tells of deliveries one by one, and resumes between two that were recorded together', async () => {
    const { token, caller } = addToken();
    const callId = randomUUID();
    const source = await listen(setup.gateway, { token, query: '?types=delivery.*' });
    const statuses = ['delivered', 'retrying', 'dead', 'not-matched'];
    const deliveries = statuses.map((status) => ({
      ...{ deliveryId: randomUUID(), integrationId: 3, eventType: 'channel-hangup', callId, status },
    }));
    const message = DeliveriesRecorded.fromPartial({ deliveries });
    await publishLive(nats, caller.accountId, webhookEvents.deliveriesRecorded, message);
    await eventually(() => source.heard.length === 4);
    expect(namesOf(source)).toEqual(['delivery.delivered', 'delivery.failed', 'delivery.dead', 'delivery.not-matched']);
    expect(source.heard[0]?.data).toMatchObject({ callId, integrationId: 3, deliveryId: deliveries[0]!.deliveryId });
    const resumed = await listen(second, { token, lastEventId: source.heard[1]!.id });
    await eventually(() => resumed.heard.length === 2);
    expect(resumed.heard).toEqual(source.heard.slice(2));
  });

  it.each(['nonsense', 'zzz-1', '0-5'])('tells a client with the unknown id %s to load everything anew', async (id) => {
    const { token, caller } = addToken();
    const source = await listen(setup.gateway, { token, lastEventId: id });
    await eventually(() => source.heard.length === 1);
    expect(source.heard[0]).toMatchObject({ event: 'reset', data: { type: 'reset' } });
    await balance(caller.accountId, 1);
    await eventually(() => source.heard.length === 2);
  });

  it('ends at once when the token is revoked, in every replica', async () => {
    const { token, caller } = addToken();
    const stays = await listen(second, setup.fake.addToken({ accountId: caller.accountId }));
    const open = [await listen(setup.gateway, { token }), await listen(second, { token })];
    setup.fake.removeToken(token);
    const revoked = TokenRevoked.fromPartial({
      tokenHash: Buffer.from(hashToken(token), 'hex'),
      userId: caller.userId,
    });
    nats.publish(broadcastSubject(identityEvents.tokenRevoked.type), TokenRevoked.encode(revoked).finish());
    await nats.flush();
    await Promise.all(open.map(({ ended }) => ended));
    await balance(caller.accountId, 1);
    await eventually(() => stays.heard.length === 1);
    expect((await setup.gateway.ask('/api/v1/events', { token })).status).toBe(401);
  });

  it('looks at the token again when the user has changed, and ends when it expires', async () => {
    const live = addToken();
    const dead = addToken({ userId: live.caller.userId });
    const [stays, ends] = [await listen(setup.gateway, live), await listen(setup.gateway, dead)];
    setup.fake.removeToken(dead.token);
    const changed = TokenRevoked.fromPartial({ userId: live.caller.userId });
    nats.publish(broadcastSubject(identityEvents.tokenRevoked.type), TokenRevoked.encode(changed).finish());
    await ends.ended;
    await balance(live.caller.accountId, 1);
    await eventually(() => stays.heard.length === 1);

    const brief = addToken({ expiresAt: new Date(Date.now() + 2_000) });
    await (
      await listen(setup.gateway, brief)
    ).ended;
  });

  it('counts as a use of its session while it is open, and ends when the session has died unheard', async () => {
    let passedMs = 0;
    const late = await setup.addGateway({}, () => Date.now() + passedMs);
    await eventually(async () => (await late.ask('/readyz')).text.includes('"nats":"up"'));
    const [used, dead] = [addToken(), addToken()];
    const [stays, ends] = [await listen(late, used), await listen(late, dead)];
    setup.fake.expireToken(dead.token);
    const before = setup.fake.lookups;
    passedMs = 5 * 60_000;
    await ends.ended;
    expect(setup.fake.lookups).toBe(before + 2);
    await balance(used.caller.accountId, 1);
    await eventually(() => stays.heard.length === 1);
  });

  it('cuts a reader that does not read, who can resume', async () => {
    const { token, caller } = addToken();
    const start = await listen(setup.gateway, { token });
    await eventually(() => start.lastEventId !== '');
    start.close();
    const { hostname, port } = new URL(setup.gateway.url);
    const socket = connectSocket({ host: hostname, port: Number(port) });
    socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: x\r\nauthorization: ${token}\r\n\r\n`);
    await once(socket, 'readable');
    socket.pause();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    const long = 'x'.repeat(100_000);
    let sent = 0;
    const wave = async (): Promise<boolean> => {
      for (let nth = 0; nth < 50; nth += 1) {
        sent += 1;
        const delivery = { deliveryId: randomUUID(), integrationId: sent, status: 'dead', reason: long };
        const message = DeliveriesRecorded.fromPartial({ deliveries: [delivery] });
        await publishLive(nats, caller.accountId, webhookEvents.deliveriesRecorded, message);
      }
      const metrics = await (await fetch(setup.gateway.metricsUrl)).text();
      return /sabia_event_streams_ended_total\{[^}]*reason="slow"/.test(metrics);
    };
    await eventually(wave);
    socket.resume();
    await closed;
    const resumed = await listen(setup.gateway, { token, lastEventId: start.lastEventId });
    await eventually(() => resumed.heard.length === sent);
    expect(resumed.heard.map(({ data }) => data['integrationId'])).toEqual(upTo(sent));
  });

  it('sends clients of a stopping gateway to another one', async () => {
    const third = await setup.addGateway();
    await eventually(async () => (await third.ask('/readyz')).text.includes('"nats":"up"'));
    const { token, caller } = addToken();
    const source = await listen(third, { token });
    await balance(caller.accountId, 1);
    await eventually(() => source.heard.length === 1);
    const stopped = third.stopGateway();
    await source.ended;
    await stopped;
    expect(source.retryMs).toBeGreaterThan(0);
    await balance(caller.accountId, 2);
    const resumed = await listen(second, { token, lastEventId: source.lastEventId });
    await eventually(() => resumed.heard.length === 1);
    expect(numbersOf(resumed)).toEqual([2]);
  });

  it('refuses what it does not know, by name', async () => {
    const { token } = addToken();
    const { status, error } = await setup.gateway.ask('/api/v1/events?types=call.created,nonsense,calls.*', { token });
    expect([status, error.code]).toEqual([400, 'INVALID_EVENT_TYPE']);
    expect(error.message).toContain('"nonsense", "calls.*"');
    expect((await setup.gateway.ask('/api/v1/events?callId=7', { token })).status).toBe(400);
    expect((await setup.gateway.ask('/api/v1/events')).status).toBe(401);
    expect((await setup.gateway.ask('/api/v1/events', { token, method: 'POST' })).status).toBe(405);
    const head = await setup.gateway.ask('/api/v1/events', { token, method: 'HEAD' });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('lets a user have so many streams and no more, and gives their places back', async () => {
    const { token } = addToken();
    const open = await Promise.all(upTo(20).map(() => listen(setup.gateway, { token })));
    const { status, error } = await setup.gateway.ask('/api/v1/events', { token });
    expect([status, error.code]).toEqual([429, 'TOO_MANY_STREAMS']);
    open[0]!.close();
    await eventually(async () => {
      const source = await listen(setup.gateway, { token });
      return source.status === 200;
    });
  });
});

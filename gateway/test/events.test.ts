import { randomUUID } from 'node:crypto';
import { billingEvents } from '@sabia/protos/events/billing';
import { webhookEvents } from '@sabia/protos/events/webhook';
import { ChargeStatus } from '@sabia/protos/sabia/billing/v1/messages';
import { DeliveriesRecorded } from '@sabia/protos/sabia/webhook/v1/events';
import { eventually } from '@sabia/testkit/eventually';
import { namesOf, numbersOf, openEventRoom, upTo } from './fixtures/event-room';
import type { EventRoom } from './fixtures/event-room';
import { callEvent, publishCall, publishEnvelope, publishLive } from './fixtures/live-events';

let room: EventRoom;

beforeAll(async () => {
  room = await openEventRoom();
});
afterEach(() => room.hangUp());
afterAll(() => room?.close());

describe('GET /events', () => {
  it('tells what happens in the account of the caller, and nothing of others', async () => {
    const own = room.addToken();
    const other = room.addToken();
    const source = await room.listen(room.setup.gateway, own);
    expect(source.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const strange = await room.listen(room.setup.gateway, other);
    const callId = randomUUID();
    await publishCall(room.nats, own.caller.accountId, 'callCreated', callId);
    await room.balance(other.caller.accountId, 7);
    await publishLive(room.nats, own.caller.accountId, billingEvents.chargeReceived, {
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
    const { token, caller } = room.addToken();
    const [call, another] = [randomUUID(), randomUUID()];
    const byType = await room.listen(room.setup.gateway, { token, query: '?types=call.answered,balance.*' });
    const byCall = await room.listen(room.setup.gateway, { token, query: `?callId=${call.toUpperCase()}` });
    const all = await room.listen(room.setup.gateway, { token });
    for (const id of [call, another]) {
      await publishCall(room.nats, caller.accountId, 'callRinging', id);
      await publishCall(room.nats, caller.accountId, 'callAnswered', id);
    }
    await room.balance(caller.accountId, 1);
    await eventually(() => all.heard.length === 5);
    await eventually(() => byType.heard.length === 3 && byCall.heard.length === 2);
    expect(namesOf(byType)).toEqual(['call.answered', 'call.answered', 'balance.changed']);
    expect(byCall.heard.map(({ data }) => data['callId'])).toEqual([call, call]);
  });

  it('resumes in any replica where the client stopped, without a gap or a repetition', async () => {
    const { token, caller } = room.addToken();
    const first = await room.listen(room.setup.gateway, { token });
    for (const number of upTo(5)) await room.balance(caller.accountId, number);
    await eventually(() => first.heard.length === 5);
    first.close();
    for (const number of upTo(400)) await room.balance(caller.accountId, 5 + number);
    const resumed = await room.listen(room.second, { token, lastEventId: first.heard[2]!.id });
    const publishing = Promise.all(upTo(200).map((number) => room.balance(caller.accountId, 405 + number)));
    await Promise.all([publishing, eventually(() => resumed.heard.length >= 602)]);
    expect(new Set(numbersOf(resumed))).toEqual(new Set(upTo(605).slice(3)));
    expect(numbersOf(resumed).slice(0, 402)).toEqual(upTo(405).slice(3));
    // The same by the parameter, which a page uses that was loaded anew.
    const again = await room.listen(room.setup.gateway, { token, query: `?lastEventId=${resumed.heard[599]!.id}` });
    await eventually(() => again.heard.length === 2);
    expect(again.heard).toEqual(resumed.heard.slice(600));
  });

  it('resumes from its beginning when no event has come yet', async () => {
    const { token, caller } = room.addToken();
    const source = await room.listen(room.setup.gateway, { token });
    await eventually(() => source.lastEventId !== '' && source.retryMs !== undefined);
    source.close();
    await room.balance(caller.accountId, 1);
    const resumed = await room.listen(room.second, { token, lastEventId: source.lastEventId });
    await eventually(() => resumed.heard.length === 1);
  });

  it('tells of deliveries one by one, and resumes between two that were recorded together', async () => {
    const { token, caller } = room.addToken();
    const callId = randomUUID();
    const source = await room.listen(room.setup.gateway, { token, query: '?types=delivery.*' });
    const statuses = ['delivered', 'retrying', 'dead', 'not-matched'];
    const deliveries = statuses.map((status) => ({
      ...{ deliveryId: randomUUID(), integrationId: 3, eventType: 'channel-hangup', callId, status },
    }));
    const message = DeliveriesRecorded.fromPartial({ deliveries });
    await publishLive(room.nats, caller.accountId, webhookEvents.deliveriesRecorded, message);
    await eventually(() => source.heard.length === 4);
    expect(namesOf(source)).toEqual(['delivery.delivered', 'delivery.failed', 'delivery.dead', 'delivery.not-matched']);
    expect(source.heard[0]?.data).toMatchObject({ callId, integrationId: 3, deliveryId: deliveries[0]!.deliveryId });
    const resumed = await room.listen(room.second, { token, lastEventId: source.heard[1]!.id });
    await eventually(() => resumed.heard.length === 2);
    expect(resumed.heard).toEqual(source.heard.slice(2));
  });

  it('tells of calls that were written together one by one, and resumes between them', async () => {
    const { token, caller } = room.addToken();
    const source = await room.listen(room.setup.gateway, { token });
    const callIds = [randomUUID(), randomUUID(), randomUUID()];
    const [first, ...others] = callIds.map((callId) => callEvent(caller.accountId, 'callRinging', callId));
    await publishEnvelope(room.nats, { ...first!, also: others });
    await eventually(() => source.heard.length === 3);
    expect(source.heard.map(({ event, data }) => [event, data['callId']])).toEqual(
      callIds.map((callId) => ['call.ringing', callId]),
    );
    expect(new Set(source.heard.flatMap(({ id, data }) => [id, data['id']])).size).toBe(6);
    const after = { token, lastEventId: source.heard[0]!.id };
    const resumed = await room.listen(room.second, after);
    const ofOne = await room.listen(room.second, { ...after, query: `?callId=${callIds[2]}` });
    await eventually(() => resumed.heard.length === 2 && ofOne.heard.length === 1);
    expect(resumed.heard).toEqual(source.heard.slice(1));
    expect(ofOne.heard).toEqual(source.heard.slice(2));
  });

  it.each(['nonsense', 'zzz-1', '0-5'])('tells a client with the unknown id %s to load everything anew', async (id) => {
    const { token, caller } = room.addToken();
    const source = await room.listen(room.setup.gateway, { token, lastEventId: id });
    await eventually(() => source.heard.length === 1);
    expect(source.heard[0]).toMatchObject({ event: 'reset', data: { type: 'reset' } });
    await room.balance(caller.accountId, 1);
    await eventually(() => source.heard.length === 2);
  });

  it('refuses the events of whoever is logged in now to a page of another user', async () => {
    const [own, other] = [room.addToken(), room.addToken()];
    const query = `?user=${own.caller.userUuid}`;
    const source = await room.listen(room.setup.gateway, { token: own.token, query });
    expect(source.status).toBe(200);
    const { status, error } = await room.setup.gateway.ask(`/api/v1/events${query}`, { token: other.token });
    expect([status, error.code]).toEqual([403, 'ANOTHER_USER']);
  });

  it('refuses what it does not know, by name', async () => {
    const { token } = room.addToken();
    const { status, error } = await room.setup.gateway.ask('/api/v1/events?types=call.created,nonsense,calls.*', {
      token,
    });
    expect([status, error.code]).toEqual([400, 'INVALID_EVENT_TYPE']);
    expect(error.message).toContain('"nonsense", "calls.*"');
    expect((await room.setup.gateway.ask('/api/v1/events?callId=7', { token })).status).toBe(400);
    expect((await room.setup.gateway.ask('/api/v1/events')).status).toBe(401);
    expect((await room.setup.gateway.ask('/api/v1/events', { token, method: 'POST' })).status).toBe(405);
    const head = await room.setup.gateway.ask('/api/v1/events', { token, method: 'HEAD' });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});

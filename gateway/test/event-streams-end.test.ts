import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { identityEvents } from '@sabia/protos/events/identity';
import { webhookEvents } from '@sabia/protos/events/webhook';
import { TokenRevoked } from '@sabia/protos/sabia/identity/v1/events';
import { DeliveriesRecorded } from '@sabia/protos/sabia/webhook/v1/events';
import { broadcastSubject } from '@sabia/service-kit/events/nats/broadcast';
import { eventually } from '@sabia/testkit/eventually';
import { hashToken } from '../src/access/authenticate';
import { numbersOf, openEventRoom, upTo } from './fixtures/event-room';
import type { EventRoom } from './fixtures/event-room';
import { publishLive } from './fixtures/live-events';

let room: EventRoom;

beforeAll(async () => {
  room = await openEventRoom();
});
afterEach(() => room.hangUp());
afterAll(() => room?.close());

describe('a stream of events', () => {
  it('ends at once when the token is revoked, in every replica', async () => {
    const { token, caller } = room.addToken();
    const stays = await room.listen(room.second, room.setup.fake.addToken({ accountId: caller.accountId }));
    const open = [await room.listen(room.setup.gateway, { token }), await room.listen(room.second, { token })];
    room.setup.fake.removeToken(token);
    const revoked = TokenRevoked.fromPartial({
      tokenHash: Buffer.from(hashToken(token), 'hex'),
      userId: caller.userId,
    });
    room.nats.publish(broadcastSubject(identityEvents.tokenRevoked.type), TokenRevoked.encode(revoked).finish());
    await room.nats.flush();
    await Promise.all(open.map(({ ended }) => ended));
    await room.balance(caller.accountId, 1);
    await eventually(() => stays.heard.length === 1);
    expect((await room.setup.gateway.ask('/api/v1/events', { token })).status).toBe(401);
  });

  it('looks at the token again when the user has changed, and ends when it expires', async () => {
    const live = room.addToken();
    const dead = room.addToken({ userId: live.caller.userId });
    const [stays, ends] = [await room.listen(room.setup.gateway, live), await room.listen(room.setup.gateway, dead)];
    room.setup.fake.removeToken(dead.token);
    const changed = TokenRevoked.fromPartial({ userId: live.caller.userId });
    room.nats.publish(broadcastSubject(identityEvents.tokenRevoked.type), TokenRevoked.encode(changed).finish());
    await ends.ended;
    await room.balance(live.caller.accountId, 1);
    await eventually(() => stays.heard.length === 1);

    const brief = room.addToken({ expiresAt: new Date(Date.now() + 2_000) });
    await (
      await room.listen(room.setup.gateway, brief)
    ).ended;
  });

  it('counts as a use of its session while it is open, and ends when the session has died unheard', async () => {
    let passedMs = 0;
    const late = await room.addGateway(() => Date.now() + passedMs);
    const [used, dead] = [room.addToken(), room.addToken()];
    const [stays, ends] = [await room.listen(late, used), await room.listen(late, dead)];
    room.setup.fake.expireToken(dead.token);
    const before = room.setup.fake.lookups;
    passedMs = 5 * 60_000;
    await ends.ended;
    expect(room.setup.fake.lookups).toBe(before + 2);
    await room.balance(used.caller.accountId, 1);
    await eventually(() => stays.heard.length === 1);
  });

  it('cuts a reader that does not read, who can resume', async () => {
    const { token, caller } = room.addToken();
    const start = await room.listen(room.setup.gateway, { token });
    await eventually(() => start.lastEventId !== '');
    start.close();
    const { hostname, port } = new URL(room.setup.gateway.url);
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
        await publishLive(room.nats, caller.accountId, webhookEvents.deliveriesRecorded, message);
      }
      const metrics = await (await fetch(room.setup.gateway.metricsUrl)).text();
      return /sabia_event_streams_ended_total\{[^}]*reason="slow"/.test(metrics);
    };
    await eventually(wave);
    socket.resume();
    await closed;
    const resumed = await room.listen(room.setup.gateway, { token, lastEventId: start.lastEventId });
    await eventually(() => resumed.heard.length === sent);
    expect(resumed.heard.map(({ data }) => data['integrationId'])).toEqual(upTo(sent));
  });

  it('sends clients of a stopping gateway to another one', async () => {
    const third = await room.addGateway();
    const { token, caller } = room.addToken();
    const source = await room.listen(third, { token });
    await room.balance(caller.accountId, 1);
    await eventually(() => source.heard.length === 1);
    const stopped = third.stopGateway();
    await source.ended;
    await stopped;
    expect(source.retryMs).toBeGreaterThan(0);
    await room.balance(caller.accountId, 2);
    const resumed = await room.listen(room.second, { token, lastEventId: source.lastEventId });
    await eventually(() => resumed.heard.length === 1);
    expect(numbersOf(resumed)).toEqual([2]);
  });

  it('lets a user have so many streams and no more, and gives their places back', async () => {
    const { token } = room.addToken();
    const open = await Promise.all(upTo(20).map(() => room.listen(room.setup.gateway, { token })));
    const { status, error } = await room.setup.gateway.ask('/api/v1/events', { token });
    expect([status, error.code]).toEqual([429, 'TOO_MANY_STREAMS']);
    open[0]!.close();
    await eventually(async () => {
      const source = await room.listen(room.setup.gateway, { token });
      return source.status === 200;
    });
  });
});

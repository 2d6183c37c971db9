import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { TokenRevoked, UserUpdated } from '@sabia/protos/sabia/identity/v1/events';
import { sessionCache } from '@sabia/service-kit/events/caches/shared-cache';
import { testServers } from '@sabia/testkit/servers';
import { eventually } from '@sabia/testkit/eventually';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { hashToken } from '../src/access/authenticate';
import { startSetup } from './fixtures/harness';
import type { Setup, TestGateway } from './fixtures/harness';

let setup: Setup;
let second: TestGateway;
let nats: NatsConnection;
beforeAll(async () => {
  setup = await startSetup();
  second = await setup.addGateway();
  const { host } = new URL(testServers().natsUrl);
  nats = await connect({ servers: host });
  for (const gateway of [setup.gateway, second]) {
    await eventually(async () => (await gateway.ask('/readyz')).text.includes('"nats":"up"'));
  }
});
afterAll(async () => {
  await nats.close();
  await setup.close();
});

const status = async (gateway: TestGateway, token: string): Promise<number> =>
  (await gateway.ask('/api/v1/tools/9', { token })).status;

/** A message is on its way for a moment, which is long before the ten seconds that a token is cached for. */
const untilForgotten = (gateway: TestGateway, token: string): Promise<boolean> =>
  eventually(async () => (await status(gateway, token)) === 401, { timeoutMs: 5_000 });

async function revoke(subject: string, event: { tokenHash?: Buffer; userId?: number }): Promise<void> {
  const bytes = TokenRevoked.encode(TokenRevoked.fromPartial(event)).finish();
  const isEvent = !subject.startsWith('sabia-broadcast');
  nats.publish(
    subject,
    isEvent ? Envelope.encode(Envelope.fromPartial({ payload: Buffer.from(bytes) })).finish() : bytes,
  );
  await nats.flush();
}

const userUpdated = (userId: number): Envelope =>
  Envelope.fromPartial({ payload: Buffer.from(UserUpdated.encode(UserUpdated.fromPartial({ userId })).finish()) });

describe('the token cache', () => {
  it('asks identity once, also for concurrent requests', async () => {
    const { token } = setup.fake.addToken();
    const before = setup.fake.lookups;
    await Promise.all(Array.from({ length: 20 }, () => status(setup.gateway, token)));
    await status(setup.gateway, token);
    expect(setup.fake.lookups - before).toBe(1);
  });

  it('gives a lookup as long as the request that waits for it', async () => {
    const patient = await setup.addGateway({ requestTimeoutMs: 900_000 });
    const askedAt = Date.now();
    expect(await status(patient, setup.fake.addToken().token)).toBe(200);
    expect(setup.fake.lookupDeadline!.getTime() - askedAt).toBeGreaterThan(800_000);
  });

  it.each(['sabia-broadcast.identity.token.revoked', 'sabia.identity.token.revoked', 'sabia.identity.token.revoked.3'])(
    'forgets a token at once, in every replica, through %s',
    async (subject) => {
      const { token } = setup.fake.addToken();
      expect([await status(setup.gateway, token), await status(second, token)]).toEqual([200, 200]);
      setup.fake.removeToken(token);
      expect([await status(setup.gateway, token), await status(second, token)]).toEqual([200, 200]);
      await revoke(subject, { tokenHash: Buffer.from(hashToken(token), 'hex') });
      await untilForgotten(setup.gateway, token);
      await untilForgotten(second, token);
    },
  );

  it('is held by gateways that make themselves known and acknowledge each revocation after the drop', async () => {
    const { token } = setup.fake.addToken();
    await status(second, token);
    setup.fake.removeToken(token);
    const holders = new Set<string>();
    const leases = nats.subscribe(`${sessionCache.leasePrefix}*`, {
      callback: (_error, { subject }) => holders.add(subject.slice(sessionCache.leasePrefix.length)),
    });
    await eventually(() => holders.size >= 2);
    const acknowledged = new Set<string>();
    const replies = nats.subscribe('acknowledged.tokens', {
      callback: (_error, message) => acknowledged.add(message.string()),
    });
    const revoked = TokenRevoked.fromPartial({ tokenHash: Buffer.from(hashToken(token), 'hex') });
    const bytes = TokenRevoked.encode(revoked).finish();
    nats.publish('sabia-broadcast.identity.token.revoked', bytes, { reply: 'acknowledged.tokens' });
    // Gateways of other tests may be among the holders, and may have stopped since.
    await eventually(() => [...holders].filter((holder) => acknowledged.has(holder)).length >= 2);
    expect(await status(second, token)).toBe(401);
    leases.unsubscribe();
    replies.unsubscribe();
  });

  it('drops every token of a user', async () => {
    const first = setup.fake.addToken();
    const other = setup.fake.addToken({ userId: first.caller.userId });
    const stranger = setup.fake.addToken();
    for (const { token } of [first, other, stranger]) {
      await status(second, token);
      setup.fake.removeToken(token);
    }
    await revoke('sabia-broadcast.identity.token.revoked', { userId: first.caller.userId });
    await untilForgotten(second, first.token);
    await untilForgotten(second, other.token);
    expect(await status(second, stranger.token)).toBe(200);
  });

  it('drops the sessions of a changed user', async () => {
    const { token, caller } = setup.fake.addToken();
    await status(second, token);
    setup.fake.removeToken(token);
    nats.publish('sabia.identity.user.updated', Envelope.encode(userUpdated(caller.userId)).finish());
    await nats.flush();
    await untilForgotten(second, token);
  });

  it('drops the sessions of all changed users of a message', async () => {
    const [first, other] = [setup.fake.addToken(), setup.fake.addToken()];
    for (const { token } of [first, other]) {
      await status(second, token);
      setup.fake.removeToken(token);
    }
    const message = { ...userUpdated(first.caller.userId), also: [userUpdated(other.caller.userId)] };
    nats.publish('sabia.identity.user.updated', Envelope.encode(message).finish());
    await nats.flush();
    await untilForgotten(second, first.token);
    await untilForgotten(second, other.token);
  });

  it('drops everything on an unreadable revocation', async () => {
    const { token } = setup.fake.addToken();
    await status(second, token);
    setup.fake.removeToken(token);
    nats.publish('sabia-broadcast.identity.token.revoked', Buffer.from([0xff, 0xff]));
    await nats.flush();
    await untilForgotten(second, token);
  });

  it('keeps no session beyond the expiry of its token', async () => {
    const { token } = setup.fake.addToken({ expiresAt: new Date(Date.now() + 3_000) });
    expect(await status(setup.gateway, token)).toBe(200);
    await eventually(async () => (await status(setup.gateway, token)) === 401);
  });

  it('never keeps a refusal', async () => {
    const { token } = setup.fake.addToken();
    setup.fake.removeToken(token);
    expect(await status(setup.gateway, token)).toBe(401);
    setup.fake.expireToken(token);
    expect((await setup.gateway.ask('/api/v1/tools/9', { token })).error.code).toBe('INVALID_TOKEN');
  });
});

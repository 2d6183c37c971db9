import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { TokenRevoked, UserUpdated } from '@sabia/protos/sabia/identity/v1/events';
import { testServers } from '@sabia/testkit/servers';
import { eventually } from '@sabia/testkit/eventually';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { hashToken } from '../src/access/authenticate';
import { openHouse } from './fixtures/harness';
import type { House, TestGateway } from './fixtures/harness';

let house: House;
let second: TestGateway;
let nats: NatsConnection;
beforeAll(async () => {
  house = await openHouse();
  second = await house.addGateway();
  const { host } = new URL(testServers().natsUrl);
  nats = await connect({ servers: host });
  for (const gateway of [house.gateway, second]) {
    await eventually(async () => (await gateway.ask('/readyz')).text.includes('"nats":"up"'));
  }
});
afterAll(async () => {
  await nats.close();
  await house.close();
});

const status = async (gateway: TestGateway, token: string): Promise<number> =>
  (await gateway.ask('/api/v1/tools/9', { token })).status;

async function revoke(subject: string, event: { tokenHash?: Buffer; userId?: number }): Promise<void> {
  const bytes = TokenRevoked.encode(TokenRevoked.fromPartial(event)).finish();
  const isEvent = !subject.startsWith('sabia-broadcast');
  nats.publish(
    subject,
    isEvent ? Envelope.encode(Envelope.fromPartial({ payload: Buffer.from(bytes) })).finish() : bytes,
  );
  await nats.flush();
}

describe('the token cache', () => {
  it('asks identity once, also when many come together', async () => {
    const { token } = house.fake.addToken();
    const before = house.fake.lookups;
    await Promise.all(Array.from({ length: 20 }, () => status(house.gateway, token)));
    await status(house.gateway, token);
    expect(house.fake.lookups - before).toBe(1);
  });

  it.each(['sabia-broadcast.identity.token.revoked', 'sabia.identity.token.revoked'])(
    'forgets a token at once, in every replica, through %s',
    async (subject) => {
      const { token } = house.fake.addToken();
      expect([await status(house.gateway, token), await status(second, token)]).toEqual([200, 200]);
      house.fake.removeToken(token);
      expect([await status(house.gateway, token), await status(second, token)]).toEqual([200, 200]);
      await revoke(subject, { tokenHash: Buffer.from(hashToken(token), 'hex') });
      expect([await status(house.gateway, token), await status(second, token)]).toEqual([401, 401]);
    },
  );

  it('forgets every token of a user', async () => {
    const first = house.fake.addToken();
    const other = house.fake.addToken({ userId: first.caller.userId });
    const stranger = house.fake.addToken();
    for (const { token } of [first, other, stranger]) {
      await status(second, token);
      house.fake.removeToken(token);
    }
    await revoke('sabia-broadcast.identity.token.revoked', { userId: first.caller.userId });
    expect(await status(second, first.token)).toBe(401);
    expect(await status(second, other.token)).toBe(401);
    expect(await status(second, stranger.token)).toBe(200);
  });

  it('forgets what it knows of a user who was changed', async () => {
    const { token, caller } = house.fake.addToken();
    await status(second, token);
    house.fake.removeToken(token);
    const payload = Buffer.from(UserUpdated.encode(UserUpdated.fromPartial({ userId: caller.userId })).finish());
    nats.publish('sabia.identity.user.updated', Envelope.encode(Envelope.fromPartial({ payload })).finish());
    await nats.flush();
    expect(await status(second, token)).toBe(401);
  });

  it('forgets everything on a revocation it cannot read', async () => {
    const { token } = house.fake.addToken();
    await status(second, token);
    house.fake.removeToken(token);
    nats.publish('sabia-broadcast.identity.token.revoked', Buffer.from([0xff, 0xff]));
    await nats.flush();
    expect(await status(second, token)).toBe(401);
  });

  it('does not outlive the token', async () => {
    const { token } = house.fake.addToken({ expiresAt: new Date(Date.now() + 3_000) });
    expect(await status(house.gateway, token)).toBe(200);
    await eventually(async () => (await status(house.gateway, token)) === 401);
  });

  it('never remembers a refusal', async () => {
    const { token } = house.fake.addToken();
    house.fake.removeToken(token);
    expect(await status(house.gateway, token)).toBe(401);
    house.fake.expireToken(token);
    expect((await house.gateway.ask('/api/v1/tools/9', { token })).error.code).toBe('INVALID_TOKEN');
  });
});

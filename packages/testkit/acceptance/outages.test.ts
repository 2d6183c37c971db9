import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { connect } from 'nats';
import { eventually } from '../src/eventually';
import { queryDatabase } from '../src/find-in-database';
import { createMailbox } from '../src/mailbox';
import { startOwnStack, type OwnStack } from '../src/own-stack';
import { newUser } from '../src/people';
import { refusalOf } from '../src/refusals';
import { signUpBody, signUpUser, type SignedUpUser } from '../src/sign-up';
import { createStackClient } from '../src/stack-client';
import { openWebhookInbox } from '../src/webhook-inbox';

interface CallRecord {
  status: string;
  call_price: number | null;
}

describe('servers that go away and come back', () => {
  let stack: OwnStack;
  let user: SignedUpUser;

  beforeAll(async () => {
    stack = await startOwnStack();
    user = await signUpUser(stack);
  });

  afterAll(async () => {
    await stack.end();
  });

  const from = () => user.client.fromAnotherAddress();

  /** Number of events in the stream that contain these words. */
  async function timesPublished(subject: string, words: string): Promise<number> {
    const nats = await connect({ servers: stack.natsUrl });
    try {
      const manager = await nats.jetstreamManager();
      const stream = await manager.streams.find(subject);
      const { state } = await manager.streams.info(stream);
      let times = 0;
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        const message = await manager.streams.getMessage(stream, { seq });
        if (message.subject === subject && Buffer.from(message.data).includes(words)) times += 1;
      }
      return times;
    } finally {
      await nats.close();
    }
  }

  it('without Redis every request is served and limited by the gateway alone', async () => {
    await stack.servers.redis.stop();
    const client = createStackClient(stack);
    const answers = [];
    for (let n = 0; n < 12; n += 1)
      answers.push(await client.post('/users/login', { email: `redis-${n}@example.com`, password: 'wrong-one' }));
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(401));
    expect(answers.slice(10).map(({ status }) => status)).toEqual([429, 429]);
    expect(answers[0]?.headers['ratelimit-remaining']).toBe('9');
    expect((await from().get('/users/me')).status).toBe(200);
    // The service itself keeps the key, so the request need not be refused.
    const newcomer = newUser();
    const create = () =>
      from().post<{ uuid: string }>('/users', { ...newcomer, role: 'USER' }, { headers: { 'idempotency-key': 'k1' } });
    const created = await create();
    expect(created.status).toBe(200);
    const again = await create();
    expect(again).toMatchObject({ status: 200, body: created.body, headers: { 'idempotent-replayed': 'true' } });
    await stack.servers.redis.start();
    await eventually(async () => (await create()).body.uuid === created.body.uuid);
  });

  it('a call with an Idempotency-Key is placed once, though Redis forgets the key or is away', async () => {
    const { token, extension } = stack.demo;
    const demo = () => createStackClient({ ...stack, token });
    const body = { extension: extension.ramal, called: stack.testNumbers.answer };
    const place = (path: string, key: string, more: object = {}) =>
      demo().post<{ id: string }>(path, { ...body, ...more }, { headers: { 'idempotency-key': key } });
    const total = async () =>
      (await demo().get<{ meta: { totalItemCount: number } }>('/calls?page=1')).body.meta.totalItemCount;
    const before = await total();
    const first = await place('/calls', 'forgotten');
    const dialled = await place('/dialer', 'forgotten', { phone: body.called });
    expect([first.status, dialled.status]).toEqual([200, 200]);

    const expectReplays = async () => {
      for (const [path, original, more] of [
        ['/calls', first, {}],
        ['/dialer', dialled, { phone: body.called }],
      ] as const) {
        const again = await place(path, 'forgotten', more);
        expect([again.status, again.text]).toEqual([200, original.text]);
        expect(again.headers['idempotent-replayed']).toBe('true');
        const other = await place(path, 'forgotten', { ...more, metadata: { other: true } });
        expect([other.status, refusalOf(other).code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      }
      expect(await total()).toBe(before + 2);
    };
    await forgetEverything(stack.redisUrl);
    await expectReplays();
    await stack.servers.redis.stop();
    await expectReplays();
    const away = await place('/calls', 'placed without Redis');
    expect(away.status).toBe(200);
    await stack.servers.redis.start();
    await eventually(async () => (await place('/calls', 'placed without Redis')).text === away.text);
    expect(await total()).toBe(before + 3);
  });

  it('without NATS a signup is accepted, its mail arrives once, and so does its event when NATS is back', async () => {
    await stack.servers.nats.stop();
    const body = signUpBody();
    expect((await createStackClient(stack).post('/accounts/signup', body)).status).toBe(201);
    expect((await from().get('/users/me')).status).toBe(200);
    await stack.servers.nats.start();
    await eventually(async () => (await timesPublished('sabia.identity.account.created', body.domain)) === 1);
    const mailbox = createMailbox(stack.mailboxUrl);
    await mailbox.waitForMail(body.email);
    const later = await signUpUser(stack);
    await eventually(async () => (await timesPublished('sabia.identity.account.created', later.domain)) === 1);
    expect(await timesPublished('sabia.identity.account.created', body.domain)).toBe(1);
    expect((await mailbox.mails()).filter(({ to }) => to === body.email)).toHaveLength(1);
    expect((await later.client.get('/users/me')).status).toBe(200);
  });

  it('an ended call gets its price and its webhooks, once each, though NATS has lost acknowledged events', async () => {
    const { token, extension } = stack.demo;
    const demo = () => createStackClient({ ...stack, token }).fromAnotherAddress();
    const inbox = await openWebhookInbox();
    try {
      const webhookTypes = ['channel-hangup', 'call-priced'];
      const metadata = { webhookUrl: inbox.urlOf('/lost'), webhookTypes };
      expect((await demo().patch('/integrations', { gateway: 'lost', webhook: true, metadata })).status).toBe(200);
      const body = { extension: extension.ramal, called: stack.testNumbers.answer };
      const { id } = (await demo().post<{ id: string }>('/calls', body)).body;
      const record = async () => (await demo().get<CallRecord>(`/calls/${id}`)).body;
      await eventually(async () => (await record()).status === 'answered');

      // Neither consumes the end of the call before NATS has lost it.
      const listeners = [...stack.processes.keys()].filter((name) => /^(billing|webhook)/.test(name));
      for (const name of listeners) await stack.removeReplica(name);
      expect((await demo().post(`/calls/${id}/hangup`)).status).toBe(200);
      await eventually(async () => (await record()).status === 'ended');
      await eventually(
        async () => (await queryDatabase(stack.postgresUrl, 'SELECT FROM telephony.outbox_waiting')).length === 0,
      );
      await stack.servers.nats.stop();
      rmSync(join(stack.home, 'nats/jetstream'), { recursive: true });
      await stack.servers.nats.start();
      await Promise.all([stack.addReplica('billing'), stack.addReplica('webhook')]);

      await eventually(async () => (await record()).call_price !== null);
      const webhooks = await inbox.waitFor('/lost', id, 2);
      expect(webhooks.map(({ payload }) => payload.eventType).sort()).toEqual(['call-priced', 'channel-hangup']);
      expect(inbox.received('/lost')).toHaveLength(2);
      expect(
        await queryDatabase(stack.postgresUrl, `SELECT FROM billing.ledger_transactions WHERE reference = $1`, [id]),
      ).toHaveLength(1);
    } finally {
      await inbox.close();
    }
  });

  it('an extension that has called can call while extensions is away, and what it is changed to counts without NATS', async () => {
    const { token, extension } = stack.demo;
    const demo = () => createStackClient({ ...stack, token }).fromAnotherAddress();
    const place = () =>
      demo().post<{ id: string }>('/calls', { extension: extension.ramal, called: stack.testNumbers.answer });
    const changed = async (last_name: string) => {
      const where = encodeURIComponent(JSON.stringify({ where: { ramal: extension.ramal } }));
      const [found] = (await demo().get<{ id: number }[]>(`/extensions?filter=${where}`)).body;
      expect((await demo().patch('/extensions', { id: found!.id, last_name })).status).toBe(200);
      const { id } = (await place()).body;
      return (await demo().get<{ last_name: string }>(`/calls/${id}`)).body.last_name;
    };
    expect(await eventually(() => changed('Lima'))).toBe('Lima');
    // Again where telephony has just forgotten it, as when the event of a change comes after its answer.
    await eventually(async () => {
      expect((await place()).status).toBe(200);
      const replicas = [...stack.processes.keys()].filter((name) => name.startsWith('extensions'));
      for (const name of replicas) await stack.removeReplica(name);
      try {
        return (await place()).status === 200;
      } finally {
        await stack.addReplica('extensions');
      }
    });

    await stack.servers.nats.stop();
    expect(await eventually(() => changed('Souza'))).toBe('Souza');
    expect(await changed('Alves')).toBe('Alves');
    await stack.servers.nats.start();
  });

  it('a logout without NATS is a logout, answered once no gateway takes the token', async () => {
    const created = await from().post<{ id: string }>('/users/accessTokens', { ttl: 600 });
    const other = createStackClient({ ...stack, token: created.body.id });
    expect((await other.get('/users/me')).status).toBe(200);
    await stack.servers.nats.stop();
    const logout = other.post('/users/logout');
    await eventually(async () => (await other.get('/users/me')).status === 401);
    await stack.servers.nats.start();
    expect((await logout).status).toBe(204);
    expect((await other.get('/users/me')).status).toBe(401);
  });

  it('without PostgreSQL the answer is 503 with Retry-After, and it comes back by itself', async () => {
    await stack.servers.postgres.stop();
    const answer = await eventually(async () => {
      const login = await createStackClient(stack).post('/users/login', { email: user.email, password: user.password });
      return login.status === 503 && login;
    });
    expect(answer.body).toMatchObject({ error: { statusCode: 503, code: 'SERVICE_UNAVAILABLE' } });
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(answer.headers['ratelimit-limit']).toBe('10');
    await stack.servers.postgres.start();
    await eventually(
      async () =>
        (await createStackClient(stack).post('/users/login', { email: user.email, password: user.password })).status ===
        200,
    );
  });
});

/** Empties Redis, like a replacement would be. */
async function forgetEverything(redisUrl: string): Promise<void> {
  const { hostname, port } = new URL(redisUrl);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.write('FLUSHALL\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  if (!answer.toString().startsWith('+OK')) throw new Error(`Redis says ${answer.toString()}`);
}

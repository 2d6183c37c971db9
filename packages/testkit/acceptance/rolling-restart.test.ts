import { connect } from 'nats';
import { amountOf } from '../src/amount';
import { followEvents } from '../src/event-source';
import { eventually } from '../src/eventually';
import { startOwnStack, type OwnStack } from '../src/own-stack';
import { patientGateways } from '../src/patient';
import { createUser, type Person } from '../src/people';
import { promised } from '../src/promised';
import { createStackClient } from '../src/stack-client';
import { openWebhookInbox, type WebhookInbox } from '../src/webhook-inbox';
import { startSteadyLoad, type LoadUser, type SteadyLoad } from '../src/steady-load';

const SERVICES = ['identity', 'extensions', 'telephony', 'billing', 'webhook'] as const;
const REQUESTS = amountOf(20_000);
/** At least this many of the requests place a call; the rate limits bound their number by time. */
const CALLS = amountOf(500);
const USERS = 12;

// Two minutes on an idle machine.
jest.setTimeout(1_200_000);

describe('two replicas of each service and of the gateway', () => {
  let stack: OwnStack;
  let users: LoadUser[];
  let load: SteadyLoad;
  let inbox: WebhookInbox;

  const startLoad = async (workers?: number): Promise<void> => {
    const { gatewayUrls, testNumbers } = stack;
    const called = [testNumbers.unallocated, testNumbers.busy];
    load = await startSteadyLoad({ gatewayUrls, users, called, workers });
  };

  beforeAll(async () => {
    const settings = { ...patientGateways, SHARD_EVENTS: 'true' };
    stack = await startOwnStack({ gateways: 2, replicas: 2, settings });
    users = await createLoadUsers(stack);
    inbox = await openWebhookInbox();
  });

  afterEach(async () => {
    await load?.stop();
  });

  afterAll(async () => {
    await stack?.end();
    await inbox?.close();
  });

  it('are restarted one after the other, and no request fails and no webhook is lost or told twice', async () => {
    await subscribe(inbox.urlOf('/calls'));
    await startLoad();
    const kinds = [...SERVICES, 'gateway'].flatMap((name) => [name, `${name}-2`]);
    for (const name of kinds) {
      const replica = stack.processes.get(name)!;
      const before = replica.pid;
      await replica.stop();
      await replica.start();
      expect(replica.pid).not.toBe(before);
    }
    await eventually(() => load.sent() >= REQUESTS && load.calls.length > CALLS, { timeoutMs: 1_000_000 });
    await load.stop();

    expect(load.failures).toEqual([]);
    await expectRecords(load.calls);
    await expectWebhooks(load.calls);
    expect(await subjectsOf('sabia.telephony.call.ended.*')).toHaveLength(1);
  });

  it('become three and two again: the third takes requests within 30 s, and none fails when it leaves', async () => {
    await startLoad(8);
    const { name, metricsUrl } = await stack.addReplica('identity');
    const readyAt = Date.now();
    await eventually(async () => (await callsServed(metricsUrl)) > 0, { intervalMs: 100 });
    expect(Date.now() - readyAt).toBeLessThan(promised(30_000));
    const served = await callsServed(metricsUrl);
    await eventually(async () => (await callsServed(metricsUrl)) > served + 50);

    await stack.removeReplica(name);
    const sent = load.sent();
    await eventually(() => load.sent() > sent + 500);
    await load.stop();
    expect(load.failures).toEqual([]);
  });

  it('tell an account each event once and in order, though gateways and publishers are killed', async () => {
    const { gatewayUrls, demo } = stack;
    const followed = followEvents(gatewayUrls, { token: demo.token, query: '?types=call.*' });
    await eventually(() => followed.opened() === 1);
    await startLoad(8);
    for (const name of ['gateway', 'telephony', 'gateway-2', 'telephony-2', 'gateway']) {
      const calls = load.calls.length;
      await eventually(() => load.calls.length > calls + 5);
      const replica = stack.processes.get(name)!;
      await replica.kill();
      await replica.start();
    }
    await load.stop();
    const told = (id: string) => followed.heard().flatMap(({ event, data }) => (data['callId'] === id ? [event] : []));
    for (const id of load.calls) {
      await eventually(() => ['call.ended', 'call.rated'].every((event) => told(id).includes(event)));
      const events = told(id);
      expect(events).toEqual(events.filter((event, index) => events.indexOf(event) === index));
      expect(events.filter((event) => event !== 'call.ringing')).toEqual(['call.created', 'call.ended', 'call.rated']);
    }
    expect(followed.heard().map(({ event }) => event)).not.toContain('reset');
    expect(followed.opened()).toBeGreaterThan(3);
    followed.close();
  });

  async function subscribe(webhookUrl: string): Promise<void> {
    const demo = createStackClient({ gatewayUrl: stack.gatewayUrl, token: stack.demo.token });
    const metadata = { webhookUrl, webhookTypes: ['channel-create', 'channel-hangup'] };
    expect((await demo.patch('/integrations', { gateway: 'restarts', webhook: true, metadata })).status).toBe(200);
    await demo.close();
  }

  /** A request that was under way when its sender stopped may come twice, under the same id. */
  async function expectWebhooks(ids: readonly string[]): Promise<void> {
    const toldOf = (id: string): string[] => {
      const webhooks = inbox.received('/calls').filter(({ payload }) => payload.id === id);
      return [...new Map(webhooks.map(({ headers, payload }) => [headers['webhook-id'], String(payload.eventType)]))]
        .map(([, type]) => type)
        .sort();
    };
    const types = ['channel-create', 'channel-hangup'];
    await eventually(() => ids.every((id) => toldOf(id).length >= types.length), { intervalMs: 1_000 });
    for (const id of ids) expect(toldOf(id)).toEqual(types);
  }

  /** Subjects of events that match; those of an account have one shard. */
  async function subjectsOf(subjects_filter: string): Promise<string[]> {
    const nats = await connect({ servers: stack.natsUrl });
    try {
      const { state } = await (await nats.jetstreamManager()).streams.info('SABIA', { subjects_filter });
      return Object.keys(state.subjects ?? {});
    } finally {
      await nats.close();
    }
  }

  async function expectRecords(ids: readonly string[]): Promise<void> {
    const demo = createStackClient({ gatewayUrl: stack.gatewayUrl, token: stack.demo.token });
    const left = [...ids];
    const check = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        const wanted = { status: 200, body: { id, status: 'ended' } };
        await eventually(async () => {
          expect(await demo.fromAnotherAddress().get(`/calls/${id}`)).toMatchObject(wanted);
          return true;
        });
      }
    };
    await Promise.all(Array.from({ length: 8 }, check));
    await demo.close();
  }
});

/** Users of the demo account, which has credit, and some extensions for each. */
async function createLoadUsers({ gatewayUrl, demo }: OwnStack): Promise<LoadUser[]> {
  const client = createStackClient({ gatewayUrl, token: demo.token });
  const admin = { api: () => client.fromAnotherAddress() } as Person;
  const users: LoadUser[] = [];
  for (let n = 0; n < USERS; n += 1) {
    const { token } = await createUser(admin);
    const extensions: string[] = [];
    for (let k = 0; k < 8; k += 1) {
      const ramal = String(5000 + n * 10 + k);
      const person = { first_name: 'Ana', last_name: 'Lima', email_address: `ana-${ramal}@example.com` };
      const created = await client
        .fromAnotherAddress()
        .post('/extensions', { ...person, ramal, senha: `segredo-${ramal}` });
      expect(created.status).toBe(200);
      extensions.push(ramal);
    }
    users.push({ token, extensions });
  }
  return users;
}

/** Number of rpcs other than health checks that the replica has served. */
async function callsServed(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith('sabia_rpc_server_duration_seconds_count') && !line.includes('Health'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(1) ?? 0), 0);
}

import { randomUUID } from 'node:crypto';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Asterisk } from '@sabia/embedded/asterisk/start-asterisk';
import { eventually } from '@sabia/testkit/eventually';
import { NameServer } from '@sabia/testkit/name-server';
import type { RunHome } from '@sabia/testkit/run-homes';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import { createAriClient } from '../src/switch/asterisk/ari-client';
import { newAccount, numbers, openStage, silent, whenCall } from './stage';
import type { Replica, Stage } from './stage';
import { openCuttableLink } from './support/cuttable-link';
import type { CuttableLink } from './support/cuttable-link';
import { Registrar } from './support/registrar';
import { startFurtherNode } from './support/switch-fleet';

/** Two Asterisk nodes, found by the SRV record of their names, which are `localhost` and `127`. */
const dnsName = '_ari._tcp.nodes.example';
const senha = 'segredo-1';
let stage: Stage;
let first: TestAsterisk;
let second: Asterisk;
let home: RunHome;
let link: CuttableLink;
let names: NameServer;
let registrar: Registrar;
let phones: PhoneBank;
let replica: Replica;
let caller: Caller;

beforeAll(async () => {
  stage = await openStage();
  first = await startTestAsterisk(stage.database);
  await first.sql.query('DELETE FROM sip.switches');
  // All nodes of a record have the same ports, so this one has an address of its own.
  const address = { sipHost: '127.0.0.2', sipPort: first.sip.port };
  ({ asterisk: second, home } = await startFurtherNode(stage, first, address));
  link = await openCuttableLink(second.ariUrl, address.sipHost);
  names = await NameServer.start();
  registrar = await Registrar.start();
  list(first);
  replica = await stage.start({
    asterisk: {
      nodes: { dnsName, sipPort: first.sip.port, capacity: 100 },
      ...{ user: first.ariUser, password: first.ariPassword, app: 'sabia' },
    },
    trunks: [
      { name: first.testTrunk, format: 'e164', routes: [{ prefix: '55' }] },
      {
        ...{
          name: 'registered',
          format: 'e164',
          server: registrar.server,
          routes: [{ prefix: '1' }],
          qualifySeconds: 0,
        },
        ...{ username: 'sabia', password: 'carrier-secret', register: true },
      },
    ],
    absenceSeconds: 5,
  });
  caller = newAccount(stage);
  await first.addExtension({ domain: caller.domain, ramal: '1000', senha });
  phones = await PhoneBank.open({ server: first.sipUdp });
  await phones.register({ domain: caller.domain, ramal: '1000', senha });
});

afterAll(async () => {
  await replica?.stop();
  phones?.end();
  registrar?.stop();
  names?.stop();
  await link?.close();
  await second?.kill();
  home?.remove();
  await first?.stop();
  await stage?.close();
});

/** Who asks for the nodes is told of these. */
function list(...nodes: Asterisk[]): void {
  const targets = nodes.map((node) =>
    node === first
      ? { host: 'localhost', port: Number(new URL(first.ariUrl).port) }
      : { host: '127.0.0.2', port: Number(new URL(link.url).port) },
  );
  names.setTargets(dnsName, targets);
}

const operator = () => replica.as(Caller.fromPartial({ operator: { uuid: randomUUID(), name: 'Rosa' } }));
const states = async () =>
  (await operator().listSwitches({})).switches.map(({ name, state }) => `${name} ${state}`).join(', ');
const whenStates = (wanted: string) =>
  eventually(async () => {
    const present = await states();
    if (present !== wanted) throw new Error(`the switches are ${present}`);
    return true;
  });

async function talk(): Promise<{ id: string; node: string }> {
  const { id } = await replica.as(caller).placeCall({ extension: '1000', called: numbers.answer });
  await whenCall(replica.as(caller), id, 'answered');
  const [row] = await stage.sql.query<{ node: string }>('SELECT switch AS node FROM live_calls WHERE call_id = $1', [
    id,
  ]);
  return { id, node: row!.node };
}

async function hangUp({ id }: { id: string }): Promise<void> {
  await replica.as(caller).hangUp({ id });
  expect(await whenCall(replica.as(caller), id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
}

test('one node registers with the carriers, and another one when it dies, drains or is held back', async () => {
  const { host, port } = first.sip;
  const [one, other] = [`${host}:${port}`, `${second.sip.host}:${port}`];
  const whenRegistered = (wanted: string) => eventually(() => registrar.registered.join() === wanted);
  await whenRegistered(one);
  list(first, second);
  await whenStates('127 active, localhost active');
  expect(registrar.registered).toEqual([one]);
  await first.kill();
  registrar.expire(one);
  await whenRegistered(other);
  await first.start();
  await whenStates('127 active, localhost active');

  const ari = createAriClient({
    ...{ url: second.ariUrl, user: first.ariUser, password: first.ariPassword, app: 'sabia' },
    ...{ log: silent, onEvent: () => undefined },
  });
  await ari.setGlobalVariable('SABIA_DRAINING', '1');
  await ari.stop();
  await whenStates('127 draining, localhost active');
  await whenRegistered(one);
  // What it was told does not outlive it.
  await second.kill();
  await second.start();
  await whenStates('127 active, localhost active');
  expect(registrar.registered).toEqual([one]);

  await operator().setSwitchState({ name: 'localhost', state: 'draining' });
  await whenRegistered(other);
  await operator().setSwitchState({ name: 'localhost', state: 'active' });
  await whenStates('127 active, localhost active');
  expect(registrar.registered).toEqual([other]);
});

test('a node is added while calls run, and takes calls; one that leaves the list keeps those it has, and is forgotten when it is gone', async () => {
  list(first);
  await second.kill();
  await whenStates('localhost active');
  await second.start();
  const before = await talk();
  list(first, second);
  await whenStates('127 active, localhost active');
  await operator().setSwitchState({ name: 'localhost', state: 'draining' });
  await whenStates('127 active, localhost draining');
  const after = await eventually(async () => {
    const call = await talk();
    if (call.node === '127') return call;
    await hangUp(call);
    return undefined;
  });
  expect(before.node).toBe('localhost');
  await operator().setSwitchState({ name: 'localhost', state: 'active' });

  list(first);
  const { asked } = names;
  await eventually(() => names.asked > asked + 2);
  expect((await replica.as(caller).getCall({ id: after.id })).call!.status).toBe('answered');
  await Promise.all([before, after].map(hangUp));
  await second.kill();
  await whenStates('localhost active');
});

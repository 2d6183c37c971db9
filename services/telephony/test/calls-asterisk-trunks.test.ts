import { createSocket, type Socket } from 'node:dgram';
import { eventually } from '@sabia/testkit/eventually';
import { provesPassword } from '@sabia/testkit/softphone/digest';
import { headerOf, parseSip, userOf, type SipMessage } from '@sabia/testkit/softphone/sip-message';
import { PhoneBank } from '@sabia/testkit/softphone/phone-bank';
import { SippCarrier } from '@sabia/testkit/softphone/sipp-carrier';
import * as scenarios from '@sabia/testkit/softphone/sipp-scenarios';
import { Softphone } from '@sabia/testkit/softphone/softphone';
import { startTestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { TestAsterisk } from '@sabia/testkit/softphone/test-asterisk';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Trunk } from '../src/domain/trunk';
import { newAccount, onlyNode, openStage, whenCall } from './stage';
import { capturedLadder } from './support/captured-ladder';
import type { Replica, Stage } from './stage';

const senha = 'segredo-1';
const account = { username: 'sabia', password: 'carrier-secret' };
let stage: Stage;
let asterisk: TestAsterisk;
let replica: Replica | undefined;
let caller: Caller;
let phone: Softphone;
let congested: SippCarrier;
let trying: SippCarrier;
let open: SippCarrier;
let closed: SippCarrier;
let silentCarrier: Socket;
const unanswered: (SipMessage & { at: number })[] = [];

beforeAll(async () => {
  stage = await openStage();
  asterisk = await startTestAsterisk(stage.database);
  caller = newAccount(stage, { gravarAudio: false });
  await asterisk.addExtension({ domain: caller.domain, ramal: '1000', senha });
  phone = await Softphone.start({ domain: caller.domain, ramal: '1000', senha, server: asterisk.sipUdp });
  await phone.waitRegistered();
  congested = await SippCarrier.start(scenarios.refuses('503 Service Unavailable'));
  trying = await SippCarrier.start(scenarios.triesForEver);
  open = await SippCarrier.start(scenarios.answersAfterChallenge);
  closed = await SippCarrier.start(scenarios.answersWhoKnows({ ...account, password: 'another' }));
  silentCarrier = createSocket('udp4');
  silentCarrier.on('message', (bytes) => unanswered.push({ ...parseSip(bytes.toString())!, at: Date.now() }));
  await new Promise<void>((resolve) => silentCarrier.bind(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await replica?.stop();
  replica = undefined;
});

afterAll(async () => {
  await phone?.kill();
  await Promise.all([congested, trying, open, closed].map((carrier) => carrier?.stop()));
  silentCarrier?.close();
  await asterisk?.stop();
  await stage?.close();
});

/** Trunks as TRUNKS declares them; no other configuration knows of these carriers. */
async function start(trunks: Trunk[]): Promise<Replica> {
  const { ariUrl: url, ariUser: user, ariPassword: password, sipCapture: capture } = asterisk;
  replica = await stage.start({
    asterisk: { nodes: onlyNode(url, asterisk.sip), user, password, app: 'sabia', capture },
    trunks,
  });
  await whenEdgeKnows(trunks);
  return replica;
}

/** Until then nodes ask the carriers themselves. */
async function whenEdgeKnows(trunks: Trunk[]): Promise<void> {
  const names = trunks.filter(({ direct }) => !direct).map(({ name }) => name);
  await eventually(async () => {
    const { rows } = await asterisk.sql.query(
      `SELECT FROM sip.edges WHERE carriers = (SELECT digest FROM sip.carriers_digest)
         AND (SELECT array_agg(trunk::text) FROM sip.trunk_servers) @> $1::text[]`,
      [names],
    );
    return rows.length > 0;
  });
}

async function call(called: string, trunks: Trunk[], until: 'answered' | 'ended' = 'answered') {
  const telephony = (replica ?? (await start(trunks))).as(caller);
  const { id } = await telephony.placeCall({ extension: '1000', called });
  const record = await whenCall(telephony, id, until);
  const { entries } = await telephony.getCallTimeline({ id });
  return { id, record, tried: entries.filter(({ message }) => message === 'destination is being called').length };
}

async function hangUp(id: string): Promise<void> {
  await replica!.as(caller).hangUp({ id });
  await whenCall(replica!.as(caller), id, 'ended');
}

/** sipp writes down what came a moment later. */
const invitesTo = (carrier: SippCarrier, count: number) =>
  eventually(() => carrier.requests('INVITE').length >= count && carrier.requests('INVITE'));

const silentServer = () => `127.0.0.1:${silentCarrier.address().port}`;
const qualifySeconds = 0;
const cost = (prefix: string, costPerMinute: number) => ({ prefix, costPerMinute });

test('silence, then one that tries for ever, then congestion, then one that challenges and answers: with its number format and caller id', async () => {
  const { id, tried } = await call('5511988887777', [
    { name: 'silent', format: 'e164', server: silentServer(), qualifySeconds, timeoutSeconds: 2, direct: true },
    { name: 'trying', format: 'e164', server: trying.server, qualifySeconds, timeoutSeconds: 2 },
    { name: 'congested', format: '+e164', server: congested.server, qualifySeconds },
    { name: 'open', format: '0national', prefix: '15', server: open.server, ...account, qualifySeconds },
  ]);
  expect(tried).toBe(4);
  expect(unanswered.map(({ method }) => method)).toContain('INVITE');
  const [refused] = await invitesTo(congested, 1);
  expect(userOf(refused!.uri ?? '')).toBe('+5511988887777');
  // The extension's own number, in the form of each carrier.
  expect(userOf(headerOf(refused!, 'from'))).toBe('+551140028922');
  const [first, second] = await invitesTo(open, 2);
  expect(userOf(first!.uri ?? '')).toBe('15011988887777');
  expect(headerOf(first!, 'proxy-authorization')).toBe('');
  expect(provesPassword(headerOf(second!, 'proxy-authorization'), { method: 'INVITE', ...account })).toBe(true);
  expect(userOf(headerOf(second!, 'from'))).toBe('01140028922');
  expect(headerOf(second!, 'p-asserted-identity')).toContain('sip:01140028922@');
  // The carrier sends back what it hears: the tone of the phone, through both legs and back.
  await phone.waitHeard({ loudness: 300 });
  await hangUp(id);

  const ladder = await capturedLadder(replica!.as(caller), id);
  // The messages themselves, with what is repeated, and without a word of the credentials.
  expect(ladder.of('@silent').slice(0, 2)).toEqual(['destination > INVITE', 'destination > INVITE again']);
  // Through the edge, which says that it tries before the carrier does.
  expect(ladder.of('@trying').slice(0, 3)).toEqual([
    'destination > INVITE',
    'destination < 100 INVITE',
    'destination > CANCEL',
  ]);
  expect(ladder.of('@congested')).toEqual([
    'destination > INVITE',
    'destination < 100 INVITE',
    'destination < 503 INVITE',
    'destination > ACK',
  ]);
  expect(ladder.of('@open').slice(0, 5)).toEqual([
    'destination > INVITE',
    'destination < 100 INVITE',
    'destination < 407 INVITE',
    'destination > ACK',
    'destination > INVITE',
  ]);
  expect(ladder.of('@open').slice(-4)).toEqual([
    'destination < 200 INVITE',
    'destination > ACK',
    'destination > BYE',
    'destination < 200 BYE',
  ]);
  const stored = await stage.sql.query('SELECT messages::text FROM call_signalling');
  expect(JSON.stringify(stored)).not.toMatch(/digest|nonce|response|sip:|v=0/i);
});

describe('a carrier over TCP', () => {
  /** A name of its own: the edge still knows where the one before it was. */
  const over = (carrier: SippCarrier, name: string): Trunk => ({
    ...{ name, format: 'e164', server: carrier.server, transport: 'tcp', ...account, qualifySeconds },
  });
  const whenOverEdge = async (id: string) => {
    const { entries } = await replica!.as(caller).getCallTimeline({ id });
    const called = entries.find(({ message }) => message === 'destination is being called');
    expect(JSON.parse(called!.detail!)).toMatchObject({ edge: asterisk.edge.name });
  };

  test('challenges and answers, is heard, and hears that we hang up', async () => {
    const carrier = await SippCarrier.start(scenarios.answersAfterChallenge, { transport: 'tcp' });
    try {
      phone.forget();
      const { id } = await call('5511988887777', [over(carrier, 'tcp')]);
      await whenOverEdge(id);
      await phone.waitHeard({ loudness: 300 });
      await hangUp(id);
      await eventually(() => carrier.requests('BYE').length === 1);
    } finally {
      await carrier.stop();
    }
  });

  test('hangs up', async () => {
    const carrier = await SippCarrier.start(scenarios.hangsUpAfter(500), { transport: 'tcp' });
    try {
      const { id } = await call('5511988887777', [over(carrier, 'tcp-again')]);
      await whenOverEdge(id);
      expect(await whenCall(replica!.as(caller), id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
    } finally {
      await carrier.stop();
    }
  });
});

test('a carrier behind NAT, which says where it is in a network that nobody else reaches, hears that we hang up', async () => {
  const carrier = await PhoneBank.open({ server: asterisk.sipUdp, contact: 'sip:carrier@192.168.77.7:5060' });
  try {
    const { id } = await call('5511988887777', [
      { name: 'nat', format: 'e164', server: carrier.address, qualifySeconds },
    ]);
    const [leg] = carrier.talking;
    await hangUp(id);
    await eventually(() => leg!.endedBy === 'BYE');
  } finally {
    carrier.end();
  }
});

test('the cheapest carrier of a destination is called first, a dearer one after it, and none that does not serve it', async () => {
  const prices: Trunk[] = [
    { ...{ name: 'dear', format: 'e164', server: open.server, ...account, qualifySeconds }, routes: [cost('55', 9)] },
    { ...{ name: 'cheap', format: 'e164', server: congested.server, qualifySeconds }, routes: [cost('5511', 1)] },
    { ...{ name: 'abroad', format: 'e164', server: trying.server, qualifySeconds }, routes: [cost('351', 1)] },
  ];
  const { id } = await call('5511988887777', prices);
  const { entries } = await replica!.as(caller).getCallTimeline({ id });
  const called = entries.filter(({ message }) => message === 'destination is being called');
  expect(called.map(({ detail }) => (JSON.parse(detail!) as { endpoint: string }).endpoint)).toEqual([
    'PJSIP/5511988887777@cheap',
    'PJSIP/5511988887777@dear',
  ]);
  await hangUp(id);

  phone.forget();
  const nowhere = await call('12125550100', prices, 'ended');
  expect(nowhere.record).toMatchObject({ hangup_cause: 'NO_ROUTE_DESTINATION', duration: 0 });
  expect(nowhere.tried).toBe(0);
});

describe('a carrier with limits', () => {
  const limited = (): Trunk => ({
    ...{ name: 'open', format: 'e164', server: open.server, ...account, qualifySeconds },
    ...{ priority: 1, maximumCalls: 2 },
  });
  const place = async () => (await replica!.as(caller).placeCall({ extension: '1000', called: '5511988887777' })).id;
  const messagesOf = async (id: string) =>
    (await replica!.as(caller).getCallTimeline({ id })).entries.map(({ message }) => message);
  const dialogsAt = (carrier: SippCarrier, method: string) =>
    new Set(carrier.requests(method).map((request) => headerOf(request, 'call-id'))).size;

  test('has no more calls than it takes, however many are placed at once; each that ends makes room for the next', async () => {
    await start([limited()]);
    const before = { begun: dialogsAt(open, 'INVITE'), ended: dialogsAt(open, 'BYE') };
    const live = () => dialogsAt(open, 'INVITE') - before.begun - (dialogsAt(open, 'BYE') - before.ended);
    const ids = await Promise.all(Array.from({ length: 5 }, place));
    for (let count = 1; count <= ids.length; count += 1) {
      const up = await eventually(async () => {
        const calls = await Promise.all(ids.map((id) => replica!.as(caller).getCall({ id })));
        expect(live()).toBeLessThanOrEqual(2);
        return calls.find(({ call: each }) => each!.status === 'answered')?.call;
      });
      await hangUp(up.id);
    }
    await eventually(() => dialogsAt(open, 'BYE') - before.ended === 5);
    expect(dialogsAt(open, 'INVITE') - before.begun).toBe(5);
  });

  test('that another one leads to: the caller waits on the line until it has room', async () => {
    const refusing: Trunk = { name: 'congested', format: 'e164', server: congested.server, qualifySeconds };
    await start([refusing, { ...limited(), maximumCalls: 1 }]);
    const first = await place();
    await whenCall(replica!.as(caller), first, 'answered');
    const second = await place();
    await eventually(async () => (await messagesOf(second)).includes('waits for a carrier'));
    await hangUp(first);
    await whenCall(replica!.as(caller), second, 'answered');
    expect((await messagesOf(second)).filter((message) => message === 'destination is being called')).toHaveLength(2);
    await hangUp(second);
  });

  test('whoever hangs up the phone while waiting for it is gone from the line, and is not called for', async () => {
    await start([{ ...limited(), maximumCalls: 1 }]);
    const first = await place();
    await whenCall(replica!.as(caller), first, 'answered');
    await asterisk.addExtension({ domain: caller.domain, ramal: '1001', senha });
    stage.neighbours.extensions.set(`${caller.accountId}/1001`, { domain: caller.domain, gravarAudio: false });
    const impatient = await Softphone.start({ domain: caller.domain, ramal: '1001', senha, server: asterisk.sipUdp });
    try {
      await impatient.waitRegistered();
      await impatient.dial('5511977776666');
      const [waiting] = await eventually(async () => {
        const rows = await stage.sql.query<{ id: string }>(
          'SELECT call_id AS id FROM live_calls WHERE line IS NOT NULL',
        );
        return rows.length === 1 && rows;
      });
      // Whoever waits hears that the line is not dead.
      await impatient.waitFor('CALL_RINGING');
      await impatient.hangup();
      expect(await whenCall(replica!.as(caller), waiting!.id, 'ended')).toMatchObject({
        hangup_cause: 'ORIGINATOR_CANCEL',
      });
      expect(await messagesOf(waiting!.id)).not.toContain('destination is being called');
    } finally {
      await impatient.kill();
    }
    await hangUp(first);
  });

  test('is sent no more calls per second than it takes', async () => {
    await start([{ name: 'silent', format: 'e164', server: silentServer(), qualifySeconds, callsPerSecond: 4 }]);
    // When each call was first asked for. A carrier that says nothing is asked again for half a minute, also for calls of earlier tests.
    const invited = () => {
      const invites = unanswered.filter(({ method }) => method === 'INVITE').toReversed();
      return new Map(invites.map((invite) => [headerOf(invite, 'call-id'), invite.at]));
    };
    // The first call over a trunk is late, because Asterisk does not know the way through the edge yet.
    const before = invited().size;
    const early = await place();
    await eventually(() => invited().size > before);
    await hangUp(early);
    const earlier = invited();
    const ids = await Promise.all(Array.from({ length: 6 }, place));
    const firsts = await eventually(() => {
      const times = [...invited()].flatMap(([callId, at]) => (earlier.has(callId) ? [] : [at]));
      return times.length === 6 && times.sort((one, other) => one - other);
    });
    // Any five in a row take a second, but for the time that the first of them was on its way. Without a limit they come at once.
    expect(firsts[4]! - firsts[0]!).toBeGreaterThan(500);
    expect(firsts[5]! - firsts[1]!).toBeGreaterThan(500);
    await Promise.all(ids.map(hangUp));
  });
});

test('who hears something is not taken for forgotten', async () => {
  const slow = await SippCarrier.start(scenarios.answersAfterEarlyAudio(6_000));
  try {
    const { id, tried } = await call('5511988887777', [
      { name: 'slow', format: 'e164', server: slow.server, qualifySeconds, timeoutSeconds: 4 },
      { name: 'open', format: 'e164', server: open.server, ...account, qualifySeconds },
    ]);
    expect(tried).toBe(1);
    await hangUp(id);
  } finally {
    await slow.stop();
  }
});

test('without a number of its own the extension shows the one of the trunk, or what the carrier wants as From', async () => {
  stage.neighbours.extensions.set(`${caller.accountId}/1000`, {
    domain: caller.domain,
    gravarAudio: false,
    bina: null,
  });
  const { id } = await call('5511988887777', [
    {
      ...{ name: 'open', format: '+e164', server: open.server, ...account, qualifySeconds },
      ...{ callerId: '551130001000', fromUser: 'account-7', fromDomain: 'sabia.example' },
    },
  ]);
  const invite = await eventually(() =>
    open.requests('INVITE').find((each) => headerOf(each, 'from').includes('sip:account-7@sabia.example')),
  );
  expect(headerOf(invite, 'p-asserted-identity')).toContain('sip:+551130001000@');
  await hangUp(id);
});

test('a carrier that does not take the password is no reason to try it elsewhere', async () => {
  const { record, tried } = await call(
    '5511988887777',
    [{ name: 'closed', format: 'e164', server: closed.server, ...account, qualifySeconds }],
    'ended',
  );
  expect(tried).toBe(1);
  expect(record).toMatchObject({ hangup_cause: 'CALL_REJECTED', duration: 0 });
});

test('one that does not answer to OPTIONS is passed over without waiting for it', async () => {
  const trunks: Trunk[] = [
    { name: 'absent', format: 'e164', server: silentServer(), qualifySeconds: 1 },
    { name: 'open', format: 'e164', server: open.server, ...account, qualifySeconds },
  ];
  await start(trunks);
  // One a second; after three of them the first one has been waited for in vain.
  const asked = () =>
    new Set(unanswered.filter(({ method }) => method === 'OPTIONS').map((each) => headerOf(each, 'call-id')));
  await eventually(() => asked().size > 4);
  const { id, tried } = await call('5511988887777', trunks);
  expect(tried).toBe(1);
  await hangUp(id);
});

test('where we register, we do so with the password', async () => {
  const registrar = await SippCarrier.start(scenarios.registers(account));
  try {
    await start([{ name: 'registrar', format: 'e164', server: registrar.server, ...account, register: true }]);
    // The first one may have been repeated before it was challenged.
    const proven = await eventually(() =>
      registrar.requests('REGISTER').find((request) => request.headers.has('authorization')),
    );
    expect(headerOf(proven, 'authorization')).toContain(`username="${account.username}"`);
    expect(headerOf(proven, 'contact')).toContain(`sip:${account.username}@`);
  } finally {
    await registrar.stop();
  }
});

test('calls come in from the addresses of the trunk, and from nowhere else', async () => {
  const bina = '551140042004';
  stage.neighbours.extensions.set(`${caller.accountId}/1000`, { domain: caller.domain, gravarAudio: false, bina });
  const trunk = { name: 'open', format: 'e164' as const, server: open.server, ...account, qualifySeconds };
  const trunks = [{ ...trunk, inbound: ['127.66.0.0/16'] }];
  // A call that gets out shows that Asterisk has been told of the trunk.
  await hangUp((await call('5511988887777', trunks)).id);
  phone.forget();
  const telephony = replica!.as(caller);
  const carrier = { domain: 'carrier.example', ramal: '5511977776666', senha: 'none', server: asterisk.sipUdp };
  const dial = async (address: string) => {
    const line = await Softphone.start({ ...carrier, address, registers: false });
    await line.dial(bina);
    return line;
  };
  const [known, stranger] = await Promise.all([dial('127.66.0.7'), dial('127.67.0.7')]);
  try {
    await known.waitFor('CALL_ESTABLISHED');
    expect((await stranger.waitFor('CALL_CLOSED')).param).toMatch(/^407/);
    const { data } = await telephony.listCalls({ filter: '{"where":{"call_type":"inbound"}}' });
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ from: '5511977776666', to: bina });
    await known.hangup();
    expect(await whenCall(telephony, data[0]!.id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
  } finally {
    await Promise.all([known.kill(), stranger.kill()]);
  }
});

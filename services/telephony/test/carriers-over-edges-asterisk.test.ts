import { createSocket } from 'node:dgram';
import { randomUUID } from 'node:crypto';
import { eventually } from '@sabia/testkit/eventually';
import type { BankCall } from '@sabia/testkit/softphone/phone-bank';
import { whenCall } from './stage';
import { SwitchFleet } from './support/switch-fleet';
import type { Node } from './support/switch-fleet';

/** Nodes ask a carrier through one of two edges. Nodes and edges are lost while it rings and while people talk. */
let fleet: SwitchFleet;

beforeAll(async () => {
  fleet = await SwitchFleet.open({ nodes: 2, replicas: 1, edges: 2, speakEveryMs: 20 });
});

afterAll(() => fleet?.close());

const telephony = () => fleet.replicas[0]!.as(fleet.caller);

const untilActive = () => eventually(async () => (await fleet.states()).every((state) => state === 'active'));

/** A call that rings at the carrier, and the node that it is on. */
async function ring() {
  const { id, called } = await fleet.place(fleet.newRingingNumber());
  const leg = await fleet.atCarrier(called);
  return { id, called, leg, node: await fleet.nodeWith(id), edge: (await fleet.edgeOf(id))! };
}

async function talk() {
  const call = await fleet.place();
  await whenCall(telephony(), call.id, 'answered');
  return { ...call, leg: await fleet.atCarrier(call.called), edge: (await fleet.edgeOf(call.id))! };
}

/** Waits until the carrier has got half a second more of audio. */
async function isHeard(leg: BankCall): Promise<void> {
  const { heard } = leg;
  await eventually(() => leg.heard > heard + 25);
}

async function hangUp(id: string): Promise<void> {
  await telephony().hangUp({ id });
  await whenCall(telephony(), id, 'ended');
}

async function bringBack({ asterisk }: Node, way: 'kill' | 'pause'): Promise<void> {
  if (way === 'kill') await asterisk.start();
  else asterisk.resume();
}

test.each([
  ['killed', 'kill'],
  ['frozen', 'pause'],
] as const)(
  'a node is %s while the callee rings: the carrier is told to stop, then asked again under the same id from another node',
  async (_how, way) => {
    const { id, called, leg, node } = await ring();
    await node.asterisk[way]();
    const again = await fleet.atCarrier(called, 1);
    expect(leg.endedBy).toBe('CANCEL');
    expect(leg.endedAt).toBeLessThan(again.invitedAt);
    expect(await fleet.nodeWith(id)).not.toBe(node);
    await bringBack(node, way);
    await untilActive();
    // What the node still had of the call is ended there, and nothing of it comes back.
    await eventually(async () => (await node.ari.channels()).length === 0);
    expect(again.state).toBe('ringing');
    fleet.carrier.answer(again);
    await whenCall(telephony(), id, 'answered');
    await isHeard(again);
    await hangUp(id);
    expect(again.endedBy).toBe('BYE');
    expect(fleet.carrier.timesInvited({ called })).toBe(2);
    expect((await fleet.stage.eventTypesOf(id)).slice(0, 3)).toEqual(['created', 'answered', 'ended']);
  },
);

/** A call that rings at the caller's phone, which picks up the next time. */
async function ringAtCaller() {
  fleet.pickUp = 'ring';
  const { id, called } = await fleet.place();
  const leg = await fleet.atPhone(called);
  fleet.pickUp = 'answer';
  return { id, called, leg, node: await fleet.nodeWith(id) };
}

test.each([
  ["the caller's phone", ringAtCaller, { caller: 2, callee: 1 }],
  ['the callee', ring, { caller: 2, callee: 2 }],
])(
  'a frozen node wakes up when %s was told to stop, and before the call is placed again: it goes on all the same',
  async (_who, begin, { caller, callee }) => {
    const { id, called, leg, node } = await begin();
    fleet.manners.delete(called);
    node.asterisk.pause();
    await eventually(() => leg.endedBy === 'CANCEL');
    node.asterisk.resume();
    await whenCall(telephony(), id, 'answered');
    await untilActive();
    await hangUp(id);
    expect(fleet.phones.timesInvited({ caller: called })).toBe(caller);
    expect(fleet.carrier.timesInvited({ called })).toBe(callee);
  },
);

test('the callee picks up after the node was lost: the edge hangs up in its place, and the callee is called again', async () => {
  const { id, called, leg, node } = await ring();
  await node.asterisk.kill();
  fleet.carrier.answer(leg);
  const again = await fleet.atCarrier(called, 1);
  expect(leg.endedBy).toBe('BYE');
  expect(leg.endedAt).toBeLessThan(again.invitedAt);
  fleet.carrier.answer(again);
  await whenCall(telephony(), id, 'answered');
  await hangUp(id);
  await node.asterisk.start();
  await untilActive();
});

test('node and edge are lost together: nobody can tell the carrier to stop, so the callee is not called again', async () => {
  const { id, called, node, edge } = await ring();
  await Promise.all([node.asterisk.kill(), edge.kill()]);
  expect(await whenCall(telephony(), id, 'ended')).toMatchObject({
    hangup_cause: 'NETWORK_OUT_OF_ORDER',
    answered_at: undefined,
  });
  expect(fleet.carrier.timesInvited({ called })).toBe(1);
  await Promise.all([node.asterisk.start(), edge.start()]);
  await untilActive();
});

test.each([
  ['we hang up', (id: string) => telephony().hangUp({ id })],
  ['the callee hangs up', (_id: string, leg: BankCall) => fleet.carrier.hangUp(leg)],
])('an edge dies while people talk: they are heard, and %s', async (_who, end) => {
  const { id, leg, edge } = await talk();
  await edge.kill();
  try {
    await isHeard(leg);
    await end(id, leg);
    expect(await whenCall(telephony(), id, 'ended')).toMatchObject({ hangup_cause: 'NORMAL_CLEARING' });
    await eventually(() => leg.state === 'ended');
  } finally {
    await edge.start();
  }
});

test('an edge dies while the callee rings and is started again: the callee is heard', async () => {
  const { id, leg, edge } = await ring();
  await edge.kill();
  await edge.start();
  fleet.carrier.answer(leg);
  await whenCall(telephony(), id, 'answered');
  await isHeard(leg);
  await hangUp(id);
  expect(leg.endedBy).toBe('BYE');
});

test('an edge is gone: calls reach the carrier through the other one', async () => {
  const [gone, other] = fleet.edges;
  const ringing = await ring();
  await gone!.kill();
  try {
    await eventually(async () => {
      const [row] = await fleet.stage.sql.query(
        `SELECT FROM sip.edges WHERE name = $1 AND seen_at < clock_timestamp() - interval '1500 milliseconds'`,
        [gone!.name],
      );
      return row;
    });
    for (let nth = 0; nth < 4; nth += 1) {
      const { id, edge, leg } = await talk();
      expect(edge).toBe(other);
      await isHeard(leg);
      await hangUp(id);
    }
    // The caller of the one that rang meanwhile may give up as always.
    await telephony().hangUp({ id: ringing.id });
    expect(await whenCall(telephony(), ringing.id, 'ended')).toMatchObject({ hangup_cause: 'ORIGINATOR_CANCEL' });
  } finally {
    await gone!.start();
  }
});

test('while the edges do not know the carrier, nodes ask it themselves', async () => {
  const { rows } = await fleet.sql.query<{ trunk: string; uri: string }>('DELETE FROM sip.trunk_servers RETURNING *');
  try {
    const call = await fleet.place();
    await whenCall(telephony(), call.id, 'answered');
    expect(await fleet.edgeOf(call.id)).toBeUndefined();
    await isHeard(await fleet.atCarrier(call.called));
    await hangUp(call.id);
  } finally {
    for (const { trunk, uri } of rows) {
      await fleet.sql.query('INSERT INTO sip.trunk_servers VALUES ($1, $2) ON CONFLICT DO NOTHING', [trunk, uri]);
    }
  }
});

describe('an edge relays calls of nodes, and only to carriers', () => {
  const sockets: ReturnType<typeof createSocket>[] = [];
  afterAll(() => sockets.forEach((socket) => socket.close()));

  async function open(address: string) {
    const socket = createSocket('udp4');
    sockets.push(socket);
    const texts: string[] = [];
    socket.on('message', (bytes) => texts.push(bytes.toString()));
    await new Promise<void>((resolve) => socket.bind(0, address, resolve));
    return { socket, texts, at: `${address}:${socket.address().port}` };
  }

  /** An INVITE as nodes send them: all nodes here have the address 127.0.0.1. */
  async function ask(
    from: string,
    { uri, route, placing }: { uri: string; route?: (edge: string) => string; placing?: string },
  ) {
    const asker = await open(from);
    const [edge] = await fleet.stage.sql.query<{ host: string; port: number }>(
      `SELECT host(node_host) AS host, node_port AS port FROM sip.edges WHERE name = $1`,
      [fleet.edges[0]!.name],
    );
    const text = [
      `INVITE ${uri} SIP/2.0`,
      `Via: SIP/2.0/UDP ${asker.at};branch=z9hG4bK${randomUUID()};rport`,
      ...(route ? [`Route: <${route(`sip:${edge!.host}:${edge!.port}`)}>`] : []),
      ...(placing === undefined ? [] : [`X-Sabia-Placing: ${placing}`]),
      'Max-Forwards: 70',
      `From: <sip:1000@${asker.at}>;tag=${randomUUID()}`,
      `To: <${uri}>`,
      `Call-ID: ${randomUUID()}`,
      'CSeq: 1 INVITE',
      `Contact: <sip:1000@${asker.at}>`,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');
    asker.socket.send(text, edge!.port, edge!.host);
    return asker;
  }

  /** The first status but 100. */
  const statusOf = (texts: string[]) =>
    eventually(() => texts.map((text) => Number(text.split(' ')[1])).find((status) => status > 100));

  test.each([
    ['a trunk that nobody knows', 503, (edge: string) => `${edge};lr;trunk=other`],
    ['no trunk', 404, (edge: string) => `${edge};lr`],
    ['another way', 404, () => 'sip:127.0.0.1:9;lr'],
    ['nothing', 404, undefined],
  ])('what names %s is refused', async (_what, status, route) => {
    const stranger = await open('127.0.0.1');
    const { texts } = await ask('127.0.0.1', { uri: `sip:5511988887777@${stranger.at}`, route });
    expect(await statusOf(texts)).toBe(status);
    expect(stranger.texts).toEqual([]);
  });

  test('what names a carrier goes there, whatever else it asks for', async () => {
    await fleet.whenEdgesKnowCarriers();
    const stranger = await open('127.0.0.1');
    const called = fleet.newRingingNumber();
    const { texts } = await ask('127.0.0.1', {
      uri: `sip:${called}@${stranger.at}`,
      route: (edge) => `${edge};lr;trunk=trunk-bank`,
    });
    expect(await statusOf(texts)).toBe(180);
    expect(fleet.carrier.timesInvited({ called })).toBe(1);
    expect(stranger.texts).toEqual([]);
  });

  test('what a node asks for because of a placing that was lost reaches no phone; the next placing does', async () => {
    const id = randomUUID();
    await fleet.sql.query('INSERT INTO sip.lost_calls (call_id, placed_before) VALUES ($1, 0)', [id]);
    // The edge has looked since, and telephony has placed the call again.
    await eventually(async () => {
      const { rows } = await fleet.sql.query(
        `SELECT FROM sip.edges, sip.lost_calls
         WHERE name = $1 AND call_id = $2 AND seen_at > lost_at + interval '1 second'`,
        [fleet.edges[0]!.name, id],
      );
      return rows.length > 0;
    });
    await fleet.sql.query('DELETE FROM sip.lost_calls WHERE call_id = $1', [id]);
    const phone = await open('127.0.0.1');
    const uri = `sip:1000@${phone.at}`;
    const route = (edge: string) => `${edge};lr;at=udp;phone=1000%40lost.example;received=sip:${phone.at}`;
    const late = await ask('127.0.0.1', { uri, route, placing: `${id}.0` });
    expect(await statusOf(late.texts)).toBe(487);
    expect(phone.texts).toEqual([]);
    await ask('127.0.0.1', { uri, route, placing: `${id}.1` });
    const [invite] = await eventually(() => phone.texts.length > 0 && phone.texts);
    expect(invite).toMatch(/^INVITE /);
    expect(invite).not.toMatch(/x-sabia-placing/i);
  });

  test('what comes from elsewhere is not even responded to', async () => {
    const { texts } = await ask('127.67.0.7', {
      uri: 'sip:5511988887777@127.0.0.1',
      route: (edge) => `${edge};lr;trunk=trunk-bank`,
    });
    // The edge has had time to respond to what came later.
    const later = await ask('127.0.0.1', { uri: 'sip:5511988887777@127.0.0.1' });
    expect(await statusOf(later.texts)).toBe(404);
    expect(texts).toEqual([]);
  });
});

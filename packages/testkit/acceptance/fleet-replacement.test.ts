import { setTimeout as delay } from 'node:timers/promises';
import type { Asterisk } from '@sabia/embedded/asterisk/start-asterisk';
import type { Kamailio } from '@sabia/embedded/kamailio/start-kamailio';
import { areTimesStrict } from '../src/config';
import { eventually } from '../src/eventually';
import { tellEdge } from '../src/softphone/test-edge';
import { FLEET_CREDIT, VoiceFleet } from '../src/voice-fleet';

// A minute and a half on an idle machine.
jest.setTimeout(600_000);

const CALLS_PER_SECOND = areTimesStrict() ? 10 : 4;
const TALK_MS = 5_000;
/** Telephony and the edges may send a call to a node for so long after it has said that it drains. */
const NOTICE_MS = 5_000;

let fleet: VoiceFleet;

beforeAll(async () => {
  fleet = await VoiceFleet.open({
    ...{ switches: 3, edges: 2, replicas: 2, extensions: 20, recorded: 0 },
    carrierHangsUpAfterMs: TALK_MS,
  });
});

afterAll(() => fleet?.end());

it('replaces every node and edge under load: no call is refused, none is cut', async () => {
  const load = startLoad();
  for (const node of fleet.stack.switches) {
    await drainNode(node);
    await node.stop();
    await node.start();
    await fleet.untilActive();
  }
  for (const edge of fleet.stack.edges) {
    await tellEdge(fleet.stack.home, edge, 'pv.shvSet', 'draining', 'int', '1');
    await delay(NOTICE_MS);
    await edge.stop();
    await edge.start();
    await untilSignedIn(edge);
  }
  await load.stop();
  expect(load.refused).toEqual([]);
  const rows = await fleet.records.until(
    fleet.calls.map(({ id }) => id),
    'ended',
  );
  const talkedMs = rows.map(({ answered_at, ended_at }) => ended_at!.getTime() - (answered_at ?? ended_at)!.getTime());
  const cut = rows.filter(
    ({ hangup_cause }, nth) => hangup_cause !== 'NORMAL_CLEARING' || talkedMs[nth]! < TALK_MS - 500,
  );
  if (cut.length > 0)
    throw new Error(`${cut.length} of ${rows.length} calls, such as ${await fleet.records.historyOf(cut)}`);
  expect(fleet.rungTwice(fleet.calls)).toEqual([]);
  expect(await fleet.records.untold(fleet.calls.map(({ id }) => id))).toEqual([]);
  expect(await fleet.records.missingMoney(FLEET_CREDIT)).toEqual({ missing: 0, reserved: 0 });
});

function startLoad() {
  const refused: number[] = [];
  const underWay: Promise<unknown>[] = [];
  const { ramals } = fleet.account;
  const timer = setInterval(() => {
    const request = fleet.request(ramals[underWay.length % ramals.length]!);
    underWay.push(request.then((answer) => 'refused' in answer && refused.push(answer.refused)));
  }, 1_000 / CALLS_PER_SECOND);
  return {
    refused,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

/** As an image does before it stops. */
async function drainNode({ ariUrl, ariUser, ariPassword }: Asterisk): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from(`${ariUser}:${ariPassword}`).toString('base64')}` };
  const told = await fetch(`${ariUrl}/asterisk/variable?variable=SABIA_DRAINING&value=1`, { method: 'POST', headers });
  expect(told.status).toBe(204);
  await delay(NOTICE_MS);
  await eventually(async () => {
    const channels = (await (await fetch(`${ariUrl}/channels`, { headers })).json()) as unknown[];
    return channels.length === 0;
  });
}

const untilSignedIn = ({ name }: Kamailio): Promise<unknown> =>
  eventually(async () => {
    const { rows } = await fleet.records.sql.query<{ is_here: boolean }>(
      `SELECT state = 'active' AND seen_at > clock_timestamp() - interval '1 second' AS is_here FROM sip.edges WHERE name = $1`,
      [name],
    );
    return rows[0]?.is_here;
  });

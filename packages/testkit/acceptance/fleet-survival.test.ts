import { setTimeout as delay } from 'node:timers/promises';
import { testFleetCalls } from '../src/config';
import { eventually } from '../src/eventually';
import { promised } from '../src/promised';
import { FLEET_CREDIT, VoiceFleet, type FleetCall } from '../src/voice-fleet';

// Losses of up to half a minute each, on a machine that may be slow.
jest.setTimeout(600_000);

const CALLS = testFleetCalls();
const EXTENSIONS = Math.min(20, CALLS / 2);
const FROZEN_MS = 20_000;
/** What users are promised when a part is lost: new calls, the end of those that went with it, phones that can be called. */
const CALLABLE_MS = promised(10_000);
const FINAL_MS = promised(30_000);
const BACK_MS = 2_000;
/** How long an edge that was frozen counts time as if it had not been (deploy/kamailio/README.md). */
const CLOCK_MS = 6_000;
/** A request that finds a replica that does not respond. */
const UNANSWERED_MS = promised(3_500);

let fleet: VoiceFleet;

beforeAll(async () => {
  fleet = await VoiceFleet.open({
    switches: 3,
    edges: 2,
    replicas: 2,
    extensions: EXTENSIONS,
    recorded: Math.ceil(EXTENSIONS / 5),
  });
});

afterAll(() => fleet?.end());

const idsOf = (calls: readonly FleetCall[]): string[] => calls.map(({ id }) => id);

/** A process of the fleet. */
interface Part {
  kill(): Promise<void>;
  pause(): void;
  start(): Promise<void>;
  resume(): void;
}

let bringBack: (() => Promise<void>) | undefined;

/** Kills the process until it is brought back, or freezes it for twenty seconds. */
async function lose(part: Part, way: 'kill' | 'pause') {
  if (way === 'kill') await part.kill();
  else part.pause();
  const at = Date.now();
  const thawed = way === 'pause' ? delay(FROZEN_MS).then(() => part.resume()) : undefined;
  bringBack = async () => {
    bringBack = undefined;
    // Whoever keeps a process up starts it again until it stays.
    await (thawed ?? eventually(() => part.start().then(() => true)));
  };
  return { at, ms: () => Date.now() - at, bringBack };
}

afterEach(async () => {
  await bringBack?.();
  await fleet.untilActive();
});

/** Each of these calls is up, and heard at both ends if anything is said. */
async function expectTalking(calls: readonly FleetCall[]): Promise<void> {
  expect((await fleet.records.rows(idsOf(calls))).filter(({ status }) => status !== 'answered')).toEqual([]);
  await fleet.untilHeard(calls);
}

/** As many calls as are wanted, or more: a node that is given to another driver gets none for a moment. */
async function fillAllNodes(): Promise<{ calls: FleetCall[]; onNodes: Map<string, FleetCall[]> }> {
  for (let count = CALLS; ; count += fleet.stack.switches.length) {
    const calls = await fleet.fill(count);
    const onNodes = await fleet.byNode(calls);
    if (fleet.stack.switches.every(({ name }) => onNodes.has(name))) return { calls, onNodes };
  }
}

/** Calls that ring beyond the carrier, until the node has some of them. */
async function ringOn(node: string): Promise<{ lost: FleetCall[]; kept: FleetCall[] }> {
  const ringing: FleetCall[] = [];
  for (;;) {
    ringing.push(...(await Promise.all(fleet.account.ramals.slice(0, 4).map((ramal) => fleet.ring(ramal)))));
    const lost = (await fleet.byNode(ringing)).get(node) ?? [];
    if (lost.length > 1) return { lost, kept: ringing.filter((call) => !lost.includes(call)) };
  }
}

/** Each is asked for again, only after the carrier was told to stop; then all are answered. */
async function expectPlacedAgain({ lost, kept }: { lost: FleetCall[]; kept: FleetCall[] }): Promise<void> {
  for (const call of lost) {
    const [first, second] = [await fleet.ringsAtCarrier(call), await fleet.ringsAtCarrier(call, 1)];
    expect(first.endedBy).toBe('CANCEL');
    expect(first.endedAt).toBeLessThan(second.invitedAt);
    fleet.carrier.answer(second);
  }
  for (const call of kept) fleet.carrier.answer(await fleet.ringsAtCarrier(call));
  await fleet.untilTalking([...lost, ...kept]);
  for (const call of [...lost, ...kept]) {
    expect(fleet.carrier.timesInvited({ called: call.number })).toBe(lost.includes(call) ? 2 : 1);
  }
}

/** Hangs up, and looks whether everything was told once and paid to the cent. */
async function expectAllAccounted(): Promise<void> {
  await fleet.hangUp(await fleet.up());
  expect(await fleet.records.untold(idsOf(fleet.calls))).toEqual([]);
  expect(await fleet.records.missingMoney(FLEET_CREDIT)).toEqual({ missing: 0, reserved: 0 });
}

describe.each([
  ['kill -9', 'kill'],
  ['SIGSTOP for 20 s', 'pause'],
] as const)('%s', (_title, way) => {
  it('of a node: every extension can call, its calls end when it was last seen or are placed again, the others go on', async () => {
    const { calls, onNodes } = await fillAllNodes();
    const [victim] = fleet.stack.switches;
    const lost = onNodes.get(victim!.name)!;
    const kept = calls.filter((call) => !lost.includes(call));
    const ringing = await ringOn(victim!.name);
    // Asterisk writes audio in pieces of two seconds.
    await fleet.untilHeard(lost, 200);

    const loss = await lose(victim!, way);
    const added = await fleet.callAll();
    await fleet.untilTalking(added);
    const callableMs = loss.ms();
    const rows = await fleet.records.until(idsOf(lost), 'ended');
    const finalMs = loss.ms();
    expect(callableMs).toBeLessThan(CALLABLE_MS);
    expect(finalMs).toBeLessThan(FINAL_MS);
    for (const { hangup_cause, ended_at } of rows) {
      expect(hangup_cause).toBe('NETWORK_OUT_OF_ORDER');
      expect(Math.abs(ended_at!.getTime() - loss.at)).toBeLessThan(promised(3_000));
    }
    await expectPlacedAgain(ringing);
    await expectTalking([...kept, ...added]);

    await loss.bringBack();
    await fleet.untilActive();
    fleet.forget(lost);
    for (const { seconds, missingSeconds } of await fleet.recordings(lost)) {
      expect(seconds).toBeGreaterThan(1);
      expect(missingSeconds).toBeGreaterThan(0);
    }
    await expectAllAccounted();
    // Those that were given to the node after its loss, too.
    expect(fleet.rungTwice(added)).toEqual([]);
  });

  it('of an edge: every phone can be called through the other one, and conversations go on', async () => {
    const calls = await fleet.fill(CALLS);
    const [victim, other] = fleet.stack.edges;
    const loss = await lose(victim!, way);
    await delay(BACK_MS - loss.ms());
    const added = await fleet.callAll();
    await fleet.untilTalking(added);
    await expectTalking([...calls, ...added]);
    // A phone of the lost edge says goodbye through the other one.
    await fleet.account.bank.hangUp(fleet.legsOf(calls[0]!).phone[0]!, other!.sipUdp);
    await fleet.records.until([calls[0]!.id], 'ended');
    await loss.bringBack();
    if (way === 'pause') await delay(CLOCK_MS);
    await expectAllAccounted();
    expect(fleet.rungTwice(added)).toEqual([]);
  });

  it('of the replica of telephony that drives two nodes: the other takes over, and nothing rings twice', async () => {
    const calls = await fleet.fill(CALLS);
    const name = await eventually(async () => {
      const driven = [...(await fleet.driven())];
      return driven.some(([, nodes]) => nodes.length === 1) && driven.find(([, nodes]) => nodes.length === 2)?.[0];
    });
    const before = fleet.callAll();
    const loss = await lose(fleet.stack.processes.get(name)!, way);
    const looks = await fleet.look(calls);
    expect(looks.filter(({ status }) => status !== 200)).toEqual([]);
    expect(Math.max(...looks.map(({ ms }) => ms))).toBeLessThan(UNANSWERED_MS);
    await eventually(async () => (await fleet.holders()) === 1);
    const takenMs = loss.ms();
    const added = [...(await before), ...(await fleet.callAll())];
    await fleet.untilTalking(added);
    expect(takenMs).toBeLessThan(CALLABLE_MS);
    await expectTalking([...calls, ...added]);
    await loss.bringBack();
    await expectAllAccounted();
    expect(fleet.rungTwice([...calls, ...added])).toEqual([]);
  });
});

import { eventually } from '@sabia/testkit/eventually';
import { noteTransferFailed, noteTransferred, requestTransfer } from '../src/storage/leg-changes';
import { findLive } from '../src/storage/live-calls';
import { newAccount, openStage } from './stage';
import type { Replica, Stage } from './stage';
import { openTalking } from './support/driven-call';
import type { DrivenSwitch, Talking } from './support/driven-call';

let stage: Stage;
let idle: Replica;

beforeAll(async () => {
  stage = await openStage();
  await stage.holdSwitch();
  idle = await stage.start();
});

afterAll(async () => {
  await idle?.stop();
  await stage?.close();
});

const termOf = async () => {
  const [lease] = await stage.sql.query<{ term: number }>('SELECT term FROM switch_leases');
  return { switchName: 'simulated', term: lease!.term };
};

const talking = (switched: DrivenSwitch = {}) => openTalking(stage, idle, switched);

test('a transfer is kept until the switch has acted, and its failure is told', async () => {
  const wanted = async ({ id }: Talking) => (await findLive(stage.sql, [id]))[0]!.transferTo;
  let begun = false;
  // Its driver dies before the switch responds.
  const dying = await talking({
    transfer() {
      begun = true;
      return new Promise(() => undefined);
    },
  });
  const refused = await talking({ transfer: () => Promise.reject(new Error('the legs are not known')) });
  for (const { id: callId, duties } of [dying, refused]) {
    await requestTransfer(stage.sql, { callId, side: 'a', to: '1001', now: new Date(), until: inSeconds(60) });
    void duties.see(callId);
  }
  await eventually(async () => (await wanted(refused)) === null);
  const { entries } = await refused.telephony.getCallTimeline({ id: refused.id });
  expect(entries.map(({ message }) => message)).toContain('the transfer failed');
  expect(await eventually(() => begun)).toBe(true);
  expect(await wanted(dying)).toBe('1001');
});

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);
const leftUntil = async ({ id }: Talking) => (await findLive(stage.sql, [id]))[0]!.leftUntil;
const secondsLeft = async (left: Talking) => Math.round(((await leftUntil(left))!.getTime() - Date.now()) / 1000);
const callTo = (to: string, { id: callId }: Talking) =>
  requestTransfer(stage.sql, { callId, side: 'a', to, now: new Date(), until: inSeconds(60) });

test('a call that a phone has left ends after a while, unless the phone is called back', async () => {
  const gone = await talking({});
  await gone.telephony.leaveCall({ id: gone.id, extension: '1000' });
  expect(await secondsLeft(gone)).toBeGreaterThan(10);
  await stage.sql.query('UPDATE live_calls SET left_until = now() WHERE call_id = $1::uuid', [gone.id]);
  await gone.duties.see(gone.id);
  expect(gone.told).toEqual([gone.id]);
  const { entries } = await gone.telephony.getCallTimeline({ id: gone.id });
  expect(entries.map(({ message }) => message)).toContain('a party has left and did not come back');

  const back = await talking({});
  const leave = (leg?: number) => back.telephony.leaveCall({ id: back.id, extension: '1000', leg });
  await leave(0);
  await callTo('1000', back);
  // It rings: the phone has not come back yet.
  expect(await secondsLeft(back)).toBeGreaterThan(50);
  await noteTransferred(stage.sql, await termOf(), {
    callId: back.id,
    leg: { side: 'a', ramal: '1000', channel: `${back.id}-a1700000000000` },
  });
  expect(await leftUntil(back)).toBeNull();
  // The request of the page before was held up.
  await leave(0);
  expect(await leftUntil(back)).toBeNull();
  await leave(1_700_000_000_000);
  expect(await secondsLeft(back)).toBeLessThan(16);
  await expect(idle.as(newAccount(stage)).leaveCall({ id: back.id })).rejects.toThrow();
  await expect(back.telephony.leaveCall({ id: back.id, extension: '1077' })).rejects.toThrow();
});

test('who leaves a call that another extension is to take over is missed only if that one does not', async () => {
  const [taken, declined, refused] = [
    await talking({}),
    await talking({}),
    await talking({ transfer: () => Promise.reject(new Error('the legs are not known')) }),
  ];
  for (const call of [taken, declined, refused]) {
    await callTo('1001', call);
    await call.telephony.leaveCall({ id: call.id, extension: '1000', leg: 0 });
    await call.duties.see(call.id);
  }
  expect(await secondsLeft(taken)).toBeGreaterThan(50);
  await noteTransferred(stage.sql, await termOf(), {
    callId: taken.id,
    leg: { side: 'a', ramal: '1001', channel: `${taken.id}-a1` },
  });
  expect(await leftUntil(taken)).toBeNull();
  await noteTransferFailed(stage.sql, declined.id, { side: 'a', until: inSeconds(15) });
  expect(await secondsLeft(declined)).toBeLessThan(16);
  expect(await secondsLeft(refused)).toBeLessThan(16);
});

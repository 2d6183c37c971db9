import { setTimeout as delay } from 'node:timers/promises';
import { amountOf } from '../src/amount';
import { CallRecords, type CallRow } from '../src/call-records';
import { openCallingAccount, type CallingAccount } from '../src/calling-account';
import { importOwnPrice } from '../src/credit';
import { eventually } from '../src/eventually';
import { lasting } from '../src/lasting';
import { startOwnStack, type OwnStack } from '../src/own-stack';

// Several outages of half a minute each, on a machine that may be slow.
jest.setTimeout(600_000);

const CALLS = amountOf(50);
const OUTAGE_MS = 30_000;
/** Credit held for five minutes: on a busy machine an outage with the start that ends it can last longer than one. */
const LONG_CREDIT = { RESERVATION_SECONDS: '300', CREDIT_EXTEND_SECONDS: '300', CREDIT_LEAD_SECONDS: '300' };

let stack: OwnStack;
let account: CallingAccount;
let records: CallRecords;

beforeAll(async () => {
  stack = await startOwnStack({ asterisk: true, settings: LONG_CREDIT });
  account = await openCallingAccount(stack, { extensions: 5, users: 6, credit: 5000 });
  records = await CallRecords.open(stack, account.users[0]!);
});

afterAll(async () => {
  account?.bank.end();
  await records?.close();
  await stack?.end();
});

const rowsOf = (ids: readonly string[]): Promise<CallRow[]> => records.rows(ids);
const untilAll = (ids: readonly string[], status: string): Promise<CallRow[]> => records.until(ids, status);

async function placed(called: string): Promise<string> {
  const answer = await eventually(() => account.place(called));
  if (!('id' in answer)) throw new Error(`refused with ${answer.refused}`);
  return answer.id;
}

async function talking(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const wave = Math.min(10, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: wave }, () => placed(stack.testNumbers.answer)))));
  }
  await untilAll(ids, 'answered');
  return ids;
}

/** Each phone keeps receiving audio. */
async function expectSound(count: number): Promise<void> {
  const before = new Map(account.bank.talking.map((call) => [call.id, call.heard]));
  expect(before.size).toBe(count);
  await eventually(() => account.bank.talking.every(({ id, heard }) => heard > (before.get(id) ?? 0) + 25));
  const ended = [...before.keys()].map((id) => account.bank.calls.get(id)!).filter(({ state }) => state === 'ended');
  expect(ended.map(({ endedBy, endedAt, invitedAt, heard }) => ({ endedBy, ms: endedAt! - invitedAt, heard }))).toEqual(
    [],
  );
}

/** Each call has one final record, one event and one delivery, and is no longer live. */
async function expectOneEnd(ids: readonly string[]): Promise<CallRow[]> {
  expect(await records.untold(ids)).toEqual([]);
  return records.rows(ids);
}

it('kill -9 of telephony: calls keep talking, each can still be hung up and ends once', async () => {
  const ids = await talking(CALLS);
  const telephony = stack.processes.get('telephony')!;
  await telephony.kill();
  await expectSound(CALLS).finally(() => telephony.start());
  await eventually(async () => (await account.users[0]!.api().get(`/calls/${ids[0]}`)).status === 200);
  expect((await rowsOf(ids)).filter(({ status }) => status !== 'answered')).toEqual([]);
  const refused: number[] = [];
  for (const id of ids) {
    const status = await account.hangUp(id);
    if (status !== 200) refused.push(status);
  }
  expect(refused).toEqual([]);
  const rows = await expectOneEnd(ids);
  expect(new Set(rows.map(({ hangup_cause }) => hangup_cause))).toEqual(new Set(['NORMAL_CLEARING']));
  await eventually(() => account.bank.talking.length === 0);
  expect(account.bank.calls.size).toBe(CALLS);
});

it('no telephony at all: calls without credit are cut, ended calls are charged until their end, others go on', async () => {
  const CREDIT_SECONDS = 12;
  const poor = await openCallingAccount(stack, { extensions: 1, users: 1, credit: 6 });
  const api = poor.users[0]!.api();
  const { rows } = await records.sql.query<{ id: string }>('SELECT id FROM identity.accounts WHERE domain = $1', [
    poor.domain,
  ]);
  await importOwnPrice(stack, api, {
    accountId: Number(rows[0]!.id),
    ...{ minutePrice: ((6 * 60) / CREDIT_SECONDS).toFixed(2), minimumSeconds: CREDIT_SECONDS, incrementSeconds: 1 },
  });
  const others = await talking(3);
  const answer = await poor.place(stack.testNumbers.answer);
  if (!('id' in answer)) throw new Error(`refused with ${answer.refused}`);
  const over = await Promise.all(Array.from({ length: 3 }, () => placed('551155500215')));
  await untilAll([...over, answer.id], 'answered');

  const telephony = stack.processes.get('telephony')!;
  await telephony.kill();
  await eventually(() => poor.bank.talking.length === 0);
  // The far end of the other calls hangs up; their phones wait for telephony.
  await delay(OUTAGE_MS);
  await telephony.start();
  await untilAll([...over, answer.id], 'ended');
  expect((await rowsOf(others)).map(({ status }) => status)).toEqual(others.map(() => 'answered'));

  type Priced = { hangup_cause: string; duration: number; call_price: number | null };
  const priced = (by: CallingAccount, id: string): Promise<Priced> =>
    eventually(async () => {
      const { body } = await by.users[0]!.api().fromAnotherAddress().get<Priced>(`/calls/${id}`);
      return body.call_price !== null && body;
    });
  for (const id of over) {
    const { hangup_cause, duration } = await priced(account, id);
    expect(hangup_cause).toBe('NORMAL_CLEARING');
    // The far end hangs up after fifteen seconds, on a busy machine later, but before the outage was over.
    expect(duration).toBeGreaterThanOrEqual(14);
    expect(duration).toBeLessThan(OUTAGE_MS / 1000);
  }
  expect(await priced(poor, answer.id)).toMatchObject({
    ...{ hangup_cause: 'ALLOTTED_TIMEOUT', duration: lasting(CREDIT_SECONDS), call_price: 6 },
  });
  for (const id of others) await account.hangUp(id);
  await untilAll(others, 'ended');
  await eventually(() => account.bank.talking.length === 0);
  poor.bank.end();
});

it('kill -9 of Asterisk: once it is back, its calls end with NETWORK_OUT_OF_ORDER, and new ones work', async () => {
  const ids = await talking(10);
  // One call whose destination rings: one that had not called it yet would be placed again.
  const ringing = await placed(stack.testNumbers.noAnswer);
  ids.push(ringing);
  await eventually(async () => {
    const { body } = await account.users[0]!.api().get<{ message: string }[]>(`/calls/${ringing}/timeline`);
    return body.some(({ message }) => message === 'destination is being called');
  });
  const killedAt = Date.now();
  const [asterisk] = stack.switches;
  await asterisk!.kill();
  await asterisk!.start();
  const rows = await untilAll(ids, 'ended');
  for (const { hangup_cause, hangup_cause_code, ended_at } of rows) {
    expect([hangup_cause, hangup_cause_code]).toEqual(['NETWORK_OUT_OF_ORDER', '38']);
    // When the node was last seen, however long its start takes.
    expect(ended_at!.getTime() - killedAt).toBeLessThan(20_000);
  }
  for (const call of account.bank.talking) call.state = 'ended';
  await account.registerPhones();
  await expectOneEnd(ids);
  const again = await eventually(async () => {
    const id = await placed(stack.testNumbers.hangup);
    const [row] = await untilAll([id], 'ended');
    return row!.hangup_cause === 'NORMAL_CLEARING' && id;
  });
  await expectOneEnd([again]);
});

it('NATS, then PostgreSQL away for thirty seconds: no accepted call is lost, and conversations go on', async () => {
  const talkers = await talking(10);
  const accepted: string[] = [];
  const hungUp = new Set<string>();

  /** Places and ends calls while the outage lasts, and longer on a slow machine. */
  async function keepBusy(enough = () => true): Promise<void> {
    for (const endsAt = Date.now() + OUTAGE_MS; Date.now() < endsAt || !enough(); await delay(1_000)) {
      const answer = await account.place(stack.testNumbers.answer);
      if ('id' in answer) accepted.push(answer.id);
      const [next] = [...talkers.slice(5), ...accepted.slice(0, -3)].filter((id) => !hungUp.has(id));
      if (next !== undefined && (await account.hangUp(next)) === 200) hungUp.add(next);
    }
  }

  await stack.servers.nats.stop();
  await keepBusy(() => accepted.length > 20);
  await stack.servers.nats.start();
  await expectOneEnd([...hungUp]);

  const heard = new Map(account.bank.talking.map((call) => [call.id, call.heard]));
  expect(heard.size).toBeGreaterThanOrEqual(5);
  await stack.servers.postgres.stop();
  await keepBusy();
  // Ten seconds of audio; on a machine that has no time for all of it the rest is waited for.
  const stillHeard = () => account.bank.talking.filter(({ id, heard: now }) => now > (heard.get(id) ?? 0) + 500).length;
  await eventually(() => stillHeard() === heard.size);
  await stack.servers.postgres.start();

  // Conversations from before the outages go on after them.
  const rows = await rowsOf(talkers.slice(0, 5));
  expect(rows.map(({ status }) => status)).toEqual(Array(5).fill('answered'));
  await expectSound(heard.size);
  const after = await placed(stack.testNumbers.answer);
  await untilAll([after], 'answered');
  const all = [...talkers, ...accepted, after];
  for (const id of all.filter((each) => !hungUp.has(each))) {
    await eventually(async () => [200, 404].includes(await account.hangUp(id)));
  }
  const ended = await expectOneEnd(all);
  expect(new Set(ended.map(({ hangup_cause }) => hangup_cause))).toEqual(new Set(['NORMAL_CLEARING']));
  await eventually(() => account.bank.talking.length === 0);
});

import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { expireHolds } from '../src/storage/hold-credit';
import { ReservationDesk } from './reservation-desk';

const desk = new ReservationDesk();

beforeAll(() => desk.open());
beforeEach(() => desk.nextAccount());
afterAll(() => desk.close());

test('asking again for the same call answers the same, also at the same moment', async () => {
  const callId = desk.newCallId();
  await desk.stage.grant(desk.account, 10);
  const answers = await Promise.all(Array.from({ length: 20 }, () => desk.reserve(callId)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(await desk.balance()).toMatchObject({ reserved: 1_200 });
  await expect(desk.reserve(callId.toUpperCase())).resolves.toMatchObject({ reserved: 1_200 });
});

test('calls that come together are held as if each had come alone', async () => {
  await desk.stage.grant(desk.account, 100);
  const calls = Array.from({ length: 200 }, () => desk.newCallId());
  const [known] = calls;
  await desk.reserve(known!);
  // One of them is known, and one asks twice.
  const answers = await Promise.all([...calls, calls[7]!].map((callId) => desk.reserve(callId)));
  expect(new Set(answers.map(({ reserved, seconds }) => `${reserved} for ${seconds}`))).toEqual(
    new Set(['1200 for 60']),
  );
  expect(await desk.balance()).toMatchObject({ reserved: 200 * 1_200 });
  const [held] = await desk.stage.database.query<{ calls: number; amount: string }>(
    `SELECT count(*) AS calls, sum(amount) AS amount FROM reservations WHERE account_id = $1 AND state = 'open'`,
    [desk.account],
  );
  expect(held).toEqual({ calls: 200, amount: '24.0000' });
});

test('calls of several accounts that come together cost each account its own, and one without credit gets nothing', async () => {
  const accounts = [];
  for (const credit of [100, 0, 50, 0.06]) {
    desk.nextAccount();
    if (credit > 0) await desk.stage.grant(desk.account, credit);
    accounts.push(desk.account);
  }
  const asked = accounts.flatMap((accountId) => [accountId, accountId, accountId]);
  const destination = '5511987654321';
  const outcomes = await Promise.allSettled(
    asked.map((accountId) => desk.stage.call('reserveCredit', { callId: desk.newCallId(), accountId, destination })),
  );
  const held = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.reserved : 0));
  const ofEach = accounts.map((_, nth) => held.slice(nth * 3, nth * 3 + 3).sort((a, b) => b - a));
  expect(ofEach).toEqual([Array(3).fill(1_200), Array(3).fill(0), Array(3).fill(1_200), [600, 0, 0]]);
  for (const [nth, reserved] of [3_600, 0, 3_600, 600].entries()) {
    desk.account = accounts[nth]!;
    expect(await desk.balance()).toMatchObject({ reserved });
  }
});

test('an account whose money is being moved keeps the calls of no other account', async () => {
  const destination = '5511987654321';
  const reserve = (accountId: number) =>
    desk.stage.call('reserveCredit', { callId: desk.newCallId(), accountId, destination });
  await desk.stage.grant(desk.account, 10);
  const locked = desk.account;
  desk.nextAccount();
  await desk.stage.grant(desk.account, 10);

  let waiting: Promise<unknown> | undefined;
  await desk.stage.database.transaction(async (tx) => {
    await tx.query('SELECT FROM balances WHERE account_id = $1 FOR UPDATE', [locked]);
    waiting = reserve(locked);
    const others = await Promise.all([reserve(desk.account), reserve(desk.account)]);
    expect(others).toMatchObject([{ reserved: 1_200 }, { reserved: 1_200 }]);
  });
  expect(await waiting).toMatchObject({ reserved: 1_200 });
});

test('with credit for some of those that come together, no more is held than there is', async () => {
  await desk.stage.grant(desk.account, 0.9);
  const calls = Array.from({ length: 100 }, () => desk.newCallId());
  const outcomes = await Promise.allSettled(calls.map((callId) => desk.reserve(callId)));
  const granted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value.reserved : []));
  // The first step of fifteen calls.
  expect(granted).toEqual(Array(15).fill(600));
  expect(await desk.balance()).toEqual({ balance: 9_000, reserved: 9_000, available: 0 });
  expect(await desk.stage.events(desk.account)).toEqual(['billing.credit.exhausted']);
});

test('what is left pays for a first step, and then for nothing', async () => {
  await desk.stage.grant(desk.account, 0.1);
  expect(await desk.reserve(desk.newCallId())).toEqual({
    reserved: 600,
    seconds: 30,
    minutePrice: 1_200,
    exhausted: false,
  });
  await expect(desk.reserve(desk.newCallId())).rejects.toMatchObject({
    kind: ErrorKind.INSUFFICIENT_CREDIT,
    code: 'INSUFFICIENT_CREDIT',
  });
  await expect(desk.reserve(desk.newCallId())).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDIT' });
  expect(await desk.balance()).toEqual({ balance: 1_000, reserved: 600, available: 400 });
  // Told once, however many calls are refused.
  expect(await desk.stage.events(desk.account)).toEqual(['billing.credit.exhausted']);
});

test('an account without credit and an unknown account get nothing', async () => {
  await expect(desk.reserve(desk.newCallId())).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDIT' });
  expect(await desk.balance()).toEqual({ balance: 0, reserved: 0, available: 0 });
});

test('extension: as much as there is, a share at a time, never less than before', async () => {
  const [first, second] = [desk.newCallId(), desk.newCallId()];
  const extend = () => desk.stage.call('extendReservation', { callId: first, seconds: 120 });
  const extendAll = async () => {
    let answer = await extend();
    while (!answer.exhausted) {
      answer = await extend();
    }
    return answer;
  };
  await desk.stage.grant(desk.account, 0.2);
  expect(await desk.reserve(first)).toMatchObject({ reserved: 600, seconds: 30 });
  // One who waits for a share of what the first one leaves.
  expect(await desk.reserve(second)).toMatchObject({ reserved: 600, seconds: 30 });
  expect(await extend()).toEqual({ reserved: 720, seconds: 36, exhausted: false });
  expect(await extendAll()).toEqual({ reserved: 1_320, seconds: 66, exhausted: true });
  await desk.stage.call('releaseReservation', { callId: second });
  expect(await extendAll()).toEqual({ reserved: 1_920, seconds: 96, exhausted: true });
  expect(await desk.stage.call('extendReservation', { callId: first, seconds: 30 })).toMatchObject({
    seconds: 96,
    exhausted: false,
  });
});

test('calls that are extended together get what each would have got alone', async () => {
  await desk.stage.grant(desk.account, 100);
  const mine = Array.from({ length: 100 }, () => desk.newCallId());
  await Promise.all(mine.map((callId) => desk.reserve(callId)));
  const rich = desk.account;
  desk.nextAccount();
  await desk.stage.grant(desk.account, 0.09);
  const theirs = [desk.newCallId()];
  await desk.reserve(theirs[0]!);
  const [over, unknown] = [mine.pop()!, desk.newCallId()];
  await desk.stage.call('releaseReservation', { callId: over });

  // One asks twice, one is over, one is unknown, and one has not enough credit.
  const wanted = [...mine, ...theirs, mine[7]!, over, unknown];
  const outcomes = await Promise.allSettled(
    wanted.map((callId) => desk.stage.call('extendReservation', { callId, seconds: 120 })),
  );
  const answers = outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as { kind: ErrorKind }).kind,
  );
  expect(answers).toEqual([
    ...mine.map(() => ({ reserved: 2_400, seconds: 120, exhausted: false })),
    { reserved: 720, seconds: 36, exhausted: false },
    { reserved: 2_400, seconds: 120, exhausted: false },
    ErrorKind.CONFLICT,
    ErrorKind.NOT_FOUND,
  ]);
  expect(await desk.balance()).toMatchObject({ reserved: 720 });
  const { reserved } = await desk.stage.call('getBalance', {}, { accountId: rich });
  expect(reserved).toBe(99 * 2_400);
});

test('an account whose money is being moved keeps no other account from more time', async () => {
  const [busy, free] = [desk.newCallId(), desk.newCallId()];
  await desk.stage.grant(desk.account, 10);
  await desk.reserve(busy);
  const locked = desk.account;
  desk.nextAccount();
  await desk.stage.grant(desk.account, 10);
  await desk.reserve(free);
  const extend = (callId: string) => desk.stage.call('extendReservation', { callId, seconds: 120 });

  let waiting: Promise<unknown> | undefined;
  await desk.stage.database.transaction(async (tx) => {
    await tx.query('SELECT FROM balances WHERE account_id = $1 FOR UPDATE', [locked]);
    waiting = extend(busy);
    expect(await extend(free)).toMatchObject({ seconds: 120 });
  });
  expect(await waiting).toMatchObject({ seconds: 120 });
});

test('an unclaimed reservation expires by itself; a late end is still charged once', async () => {
  const [lost, live] = [desk.newCallId(), desk.newCallId()];
  await desk.stage.grant(desk.account, 10);
  await desk.reserve(lost);
  await desk.reserve(live);
  const began = desk.time;
  desk.time = new Date(began.getTime() + 959_000);
  await expireHolds(desk.stage.database, desk.time);
  expect(await desk.balance()).toMatchObject({ reserved: 2_400 });
  // A call that extends its hold is alive.
  await desk.stage.call('extendReservation', { callId: live, seconds: 30 });
  desk.time = new Date(began.getTime() + 960_000);
  await Promise.all([expireHolds(desk.stage.database, desk.time), expireHolds(desk.stage.database, desk.time)]);
  expect(await desk.balance()).toEqual({ balance: 100_000, reserved: 1_200, available: 98_800 });
  await desk.deliver(desk.ended(lost, 31), desk.ended(lost, 31));
  expect(await desk.balance()).toEqual({ balance: 99_280, reserved: 1_200, available: 98_080 });
});

test('an expired reservation is not in the way of the next call, swept or not', async () => {
  await desk.stage.grant(desk.account, 0.1);
  await desk.reserve(desk.newCallId());
  desk.time = new Date(desk.time.getTime() + 3_600_000);
  expect(await desk.reserve(desk.newCallId())).toMatchObject({ reserved: 600 });
});

test('nonsense is refused with its reason', async () => {
  await expect(desk.reserve('not-a-uuid')).rejects.toMatchObject({ violations: [{ field: 'callId' }] });
  await expect(desk.reserve(desk.newCallId(), 'x')).rejects.toMatchObject({ violations: [{ field: 'destination' }] });
  await expect(desk.reserve(desk.newCallId(), '881')).rejects.toMatchObject({ code: 'NO_RATE' });
  const callId = desk.newCallId();
  await expect(desk.stage.call('extendReservation', { callId, seconds: 0 })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  await expect(desk.stage.call('extendReservation', { callId, seconds: 6 })).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
  });
  await expect(desk.stage.call('settleReservation', { callId, durationSeconds: 6 })).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
  });
  await desk.stage.call('releaseReservation', { callId });
});

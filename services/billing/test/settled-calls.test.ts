import { ReservationState } from '@sabia/protos/sabia/billing/v1/messages';
import { ReservationDesk } from './reservation-desk';

const desk = new ReservationDesk();

beforeAll(() => desk.open());
beforeEach(() => desk.nextAccount());
afterAll(() => desk.close());

test('a call from reservation to price', async () => {
  const callId = desk.newCallId();
  await desk.stage.grant(desk.account, 10);
  expect(await desk.reserve(callId)).toEqual({ reserved: 1_200, seconds: 60, minutePrice: 1_200, exhausted: false });
  expect(await desk.balance()).toEqual({ balance: 100_000, reserved: 1_200, available: 98_800 });
  expect(await desk.stage.call('extendReservation', { callId, seconds: 100 })).toEqual({
    reserved: 2_040,
    seconds: 102,
    exhausted: false,
  });
  await desk.deliver(desk.ended(callId, 61));
  expect(await desk.balance()).toEqual({ balance: 98_680, reserved: 0, available: 98_680 });
  const { data, meta } = await desk.stage.call('getStatement', {}, { accountId: desk.account });
  expect(data).toMatchObject([
    {
      kind: 'call',
      amount: -1_320,
      balance: 98_680,
      callId,
      description: 'Call to 5511987654321',
      destination: '5511987654321',
    },
    { kind: 'grant', amount: 100_000, balance: 100_000, callId: undefined },
  ]);
  expect(meta).toMatchObject({ totalItemCount: 2, totalPageCount: 1 });
  expect(await desk.stage.events(desk.account)).toEqual(['billing.call.rated']);
});

test('a price belongs to the trace of its own call, however many are settled together', async () => {
  const traces = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
  const events = traces.map((traceparent) => ({ ...desk.ended(desk.newCallId(), 10), trace: { traceparent } }));
  await desk.deliver(...events, desk.ended(desk.newCallId(), 10));
  const rows = await desk.stage.database.query<{ traceparent: string }>(
    `SELECT traceparent FROM outbox WHERE type = 'billing.call.rated' AND account_id = $1 ORDER BY position`,
    [desk.account],
  );
  expect(rows.map(({ traceparent }) => traceparent)).toEqual([...traces, '']);
});

test('the price of a call is told again under the same id, to services alone', async () => {
  const callId = desk.newCallId();
  await desk.stage.grant(desk.account, 10);
  await desk.talk(callId, 10);
  await expect(desk.stage.call('tellPricesAgain', { callIds: [callId, desk.newCallId()] })).resolves.toEqual({
    callIds: [callId],
  });
  const [first, again] = await desk.stage.database.query<{ id: string; services_only: boolean }>(
    `SELECT id, services_only FROM outbox WHERE type = 'billing.call.rated' AND account_id = $1 ORDER BY position`,
    [desk.account],
  );
  expect(first).toEqual({ id: first!.id, services_only: false });
  expect(again).toEqual({ id: first!.id, services_only: true });
});

test('the cut call: the sum charged is the credit, to the last fraction', async () => {
  await desk.stage.grant(desk.account, 0.6);
  // Twenty calls want to talk for ever with credit for five minutes in all.
  const calls = Array.from({ length: 20 }, () => desk.newCallId());
  const held = await Promise.allSettled(calls.map((callId) => desk.reserve(callId)));
  const live = calls.filter((_, at) => held[at]?.status === 'fulfilled');
  let granted = new Map<string, number>();
  for (let wantMore = true; wantMore;) {
    const answers = await Promise.all(
      live.map((callId) => desk.stage.call('extendReservation', { callId, seconds: 300 })),
    );
    granted = new Map(live.map((callId, at) => [callId, answers[at]!.seconds]));
    wantMore = answers.some(({ exhausted }) => !exhausted);
  }
  expect(await desk.balance()).toMatchObject({ available: 0, reserved: 6_000 });
  expect([...granted.values()].reduce((sum, seconds) => sum + seconds, 0)).toBe(300);
  // Each is cut up to a second late, which would cost one step more than the credit.
  await desk.deliver(...live.map((callId) => desk.ended(callId, granted.get(callId)! + 1)));
  expect(await desk.balance()).toEqual({ balance: 0, reserved: 0, available: 0 });
  const events = await desk.stage.events(desk.account);
  expect(events.filter((type) => type === 'billing.call.rated')).toHaveLength(live.length);
  expect(events.filter((type) => type === 'billing.credit.exhausted')).toHaveLength(1);
  expect(events.filter((type) => type === 'billing.credit.low')).toHaveLength(1);
});

test('one call is charged once: settled by request and by event, repeated and at the same moment', async () => {
  const callId = desk.newCallId();
  await desk.stage.grant(desk.account, 10);
  await desk.reserve(callId);
  const same = desk.ended(callId, 30);
  await Promise.all([
    desk.stage.call('settleReservation', { callId, durationSeconds: 30 }),
    desk.stage.call('settleReservation', { callId, durationSeconds: 30 }),
    desk.deliver(same),
    desk.deliver(desk.ended(callId, 30), desk.ended(callId, 30)),
  ]);
  expect(await desk.stage.call('settleReservation', { callId, durationSeconds: 999 })).toEqual({
    price: 600,
    minutePrice: 1_200,
    billedSeconds: 30,
  });
  expect(await desk.balance()).toEqual({ balance: 99_400, reserved: 0, available: 99_400 });
  expect(await desk.stage.events(desk.account)).toEqual(['billing.call.rated']);
  await expect(desk.reserve(callId)).rejects.toMatchObject({ code: 'RESERVATION_CLOSED' });
  await expect(desk.stage.call('extendReservation', { callId, seconds: 60 })).rejects.toMatchObject({
    code: 'RESERVATION_CLOSED',
  });
});

test('calls that cost nothing are rated too', async () => {
  await desk.stage.grant(desk.account, 10);
  const unanswered = desk.newCallId();
  await desk.reserve(unanswered);
  await desk.stage.call('releaseReservation', { callId: unanswered });
  await desk.stage.call('releaseReservation', { callId: unanswered });
  await desk.deliver(
    desk.ended(unanswered, 0),
    desk.ended(desk.newCallId(), 120, { callType: 'internal', to: '1001' }),
    desk.ended(desk.newCallId(), 120, { callType: 'inbound', to: '1130033030' }),
    desk.ended(desk.newCallId(), 120, { to: '999' }),
  );
  expect(await desk.balance()).toEqual({ balance: 100_000, reserved: 0, available: 100_000 });
  expect(await desk.stage.events(desk.account)).toEqual(Array(4).fill('billing.call.rated'));
});

test('a call is billed for no more than was reserved for it, with all its extensions', async () => {
  const [short, extended, never] = [desk.newCallId(), desk.newCallId(), desk.newCallId()];
  await desk.stage.grant(desk.account, 100);
  await desk.reserve(short);
  await desk.reserve(extended);
  await desk.stage.call('extendReservation', { callId: extended, seconds: 120 });
  // They ended after 40 s, and were found an hour later.
  await desk.deliver(desk.ended(short, 3_600), desk.ended(extended, 3_600), desk.ended(never, 3_600));
  expect(await desk.balance()).toEqual({
    balance: 1_000_000 - 1_200 - 2_400,
    reserved: 0,
    available: 1_000_000 - 3_600,
  });
  const rows = await desk.stage.database.query(
    'SELECT duration_seconds AS duration, billed_seconds AS billed, price FROM reservations WHERE account_id = $1 ORDER BY price',
    [desk.account],
  );
  expect(rows).toEqual([
    { duration: 3_600, billed: 0, price: '0.0000' },
    { duration: 3_600, billed: 60, price: '0.1200' },
    { duration: 3_600, billed: 120, price: '0.2400' },
  ]);
});

test('low credit is told on the way down, and again after credit has come', async () => {
  await desk.stage.grant(desk.account, 1.05);
  await desk.talk(desk.newCallId(), 30);
  await desk.talk(desk.newCallId(), 30);
  await desk.stage.grant(desk.account, 5);
  await desk.talk(desk.newCallId(), 60 * 45);
  expect((await desk.stage.events(desk.account)).filter((type) => type !== 'billing.call.rated')).toEqual([
    'billing.credit.low',
    'billing.credit.low',
  ]);
});

test('the statement: newest first, in pages, by filter', async () => {
  await desk.stage.grant(desk.account, 10);
  const calls = Array.from({ length: 4 }, () => desk.newCallId());
  for (const callId of calls) {
    await desk.talk(callId, 30);
  }
  const statement = (filter: object, page = 1) =>
    desk.stage.call('getStatement', { page, filter: JSON.stringify(filter) }, { accountId: desk.account });
  const second = await statement({ limit: 2 }, 2);
  expect(second.data.map(({ callId }) => callId)).toEqual([calls[1], calls[0]]);
  expect(second.meta).toMatchObject({ totalItemCount: 5, totalPageCount: 3, nextPage: 3, previousPage: 1 });
  expect((await statement({ order: 'id ASC', limit: 1 })).data).toMatchObject([{ kind: 'grant', balance: 100_000 }]);
  expect((await statement({ where: { callId: calls[2] } })).data).toMatchObject([{ amount: -600, balance: 98_200 }]);
  expect((await statement({ where: { kind: 'call', amount: { lt: 0 } } })).meta).toMatchObject({ totalItemCount: 4 });
  expect((await statement({ where: { at: '2026-03-10' } })).meta).toMatchObject({ totalItemCount: 5 });
  await expect(statement({ where: { account_id: 1 } })).rejects.toMatchObject({ code: 'INVALID_FILTER' });

  const within = (startDate: string, endDate: string) =>
    desk.stage.call('getStatement', { startDate, endDate }, { accountId: desk.account });
  expect((await within('2026-03-10', '2026-03-10')).meta).toMatchObject({ totalItemCount: 5 });
  expect((await within('2026-03-11', '2026-03-12')).meta).toMatchObject({ totalItemCount: 0 });
  await expect(within('soon', '')).rejects.toThrow(/"startDate" is not a date/);
});

test('the money of a call: held while it lasts, then its price, and nothing of another account', async () => {
  await desk.stage.grant(desk.account, 10);
  const callId = desk.newCallId();
  const money = async (accountId = desk.account) =>
    (await desk.stage.call('getCallMoney', { callId }, { accountId })).money!;
  expect(await money()).toMatchObject({
    callId,
    currency: 'BRL',
    rate: undefined,
    reservation: undefined,
    entries: [],
  });

  await desk.reserve(callId);
  expect(await money()).toMatchObject({
    rate: { prefix: '55', minute_price: 1200, minimum_seconds: 30, increment_seconds: 6 },
    call_price: undefined,
    reservation: { state: ReservationState.OPEN, reserved: 1200, released: 0, seconds: 60, closedAt: undefined },
    entries: [],
  });
  await desk.deliver(desk.ended(callId, 40));
  expect(await money()).toMatchObject({
    duration: 40,
    billed_seconds: 42,
    increments: 2,
    call_price: 840,
    reservation: { state: ReservationState.SETTLED, reserved: 1200, released: 360, seconds: 60 },
    entries: [{ kind: 'call', amount: -840, balance: 99_160, callId }],
  });
  expect(await money(desk.account + 1)).toMatchObject({ rate: undefined, reservation: undefined, entries: [] });
});

test('a grant counts once per key', async () => {
  const grant = { accountId: desk.account, amount: 1_000_000, key: 'demo', description: 'Welcome' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => desk.stage.call('grantCredit', grant)));
  expect(answers.map((answer) => answer.balance)).toEqual(Array(5).fill(1_000_000));
  await expect(desk.stage.call('grantCredit', { ...grant, amount: 0 })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

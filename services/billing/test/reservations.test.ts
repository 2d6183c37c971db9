import { randomUUID } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ReservationState } from '@sabia/protos/sabia/billing/v1/messages';
import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import { telephonyEvents } from '@sabia/protos/events/telephony';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import { expireHolds } from '../src/storage/hold-credit';
import { openStage } from './stage';
import type { Stage } from './stage';

describe('reservations', () => {
  let stage: Stage;
  let time = new Date('2026-03-10T12:00:00Z');
  let account = 100;

  beforeAll(async () => {
    stage = await openStage({ now: () => time, poolSize: 20, lowThreshold: 10_000 });
    // 0.12 a minute at 30/6: 0.06 for the first 30 seconds, 0.012 for every 6 more.
    await stage.setPrice('0.12');
  });

  beforeEach(() => {
    account++;
  });

  afterAll(() => stage.close());

  const reserve = (callId: string, destination = '5511987654321') =>
    stage.call('reserveCredit', { callId, accountId: account, destination });
  const balance = async () => {
    const { balance, reserved, available } = await stage.call('getBalance', {}, { accountId: account });
    return { balance, reserved, available };
  };

  function ended(
    callId: string,
    durationSeconds: number,
    call: Record<string, unknown> = {},
  ): ReceivedEvent<typeof telephonyEvents.callEnded> {
    return {
      id: randomUUID(),
      type: telephonyEvents.callEnded.type,
      version: 1,
      accountId: account,
      occurredAt: time,
      deliveryCount: 1,
      message: CallEnded.fromPartial({
        call: {
          callId,
          callType: 'outbound',
          to: '5511987654321',
          durationSeconds,
          startedAt: time,
          endedAt: time,
          ...call,
        },
      }),
    };
  }
  const deliver = (...events: ReceivedEvent<typeof telephonyEvents.callEnded>[]) =>
    stage.database.transaction((tx) => stage.consumer.handleBatch(events, tx));

  /** A call that is paid for in advance, all of it. */
  async function talk(callId: string, seconds: number): Promise<void> {
    let { seconds: granted } = await reserve(callId);
    while (granted < seconds) {
      ({ seconds: granted } = await stage.call('extendReservation', { callId, seconds }));
    }
    await deliver(ended(callId, seconds));
  }

  test('a price belongs to the trace of its own call, however many are settled together', async () => {
    const traces = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    const events = traces.map((traceparent) => ({ ...ended(randomUUID(), 10), trace: { traceparent } }));
    await deliver(...events, ended(randomUUID(), 10));
    const rows = await stage.database.query<{ traceparent: string }>(
      `SELECT traceparent FROM outbox WHERE type = 'billing.call.rated' AND account_id = $1 ORDER BY position`,
      [account],
    );
    expect(rows.map(({ traceparent }) => traceparent)).toEqual([...traces, '']);
  });

  test('a call from reservation to price', async () => {
    const callId = randomUUID();
    await stage.grant(account, 10);
    expect(await reserve(callId)).toEqual({ reserved: 1_200, seconds: 60, minutePrice: 1_200, exhausted: false });
    expect(await balance()).toEqual({ balance: 100_000, reserved: 1_200, available: 98_800 });
    expect(await stage.call('extendReservation', { callId, seconds: 100 })).toEqual({
      reserved: 2_040,
      seconds: 102,
      exhausted: false,
    });
    await deliver(ended(callId, 61));
    expect(await balance()).toEqual({ balance: 98_680, reserved: 0, available: 98_680 });
    const { data, meta } = await stage.call('getStatement', {}, { accountId: account });
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
    expect(await stage.events(account)).toEqual(['billing.call.rated']);
  });

  test('the price of a call is told again under the same id, to services alone', async () => {
    const callId = randomUUID();
    await stage.grant(account, 10);
    await talk(callId, 10);
    await expect(stage.call('tellPricesAgain', { callIds: [callId, randomUUID()] })).resolves.toEqual({
      callIds: [callId],
    });
    const [first, again] = await stage.database.query<{ id: string; services_only: boolean }>(
      `SELECT id, services_only FROM outbox WHERE type = 'billing.call.rated' AND account_id = $1 ORDER BY position`,
      [account],
    );
    expect(first).toEqual({ id: first!.id, services_only: false });
    expect(again).toEqual({ id: first!.id, services_only: true });
  });

  test('asking again for the same call answers the same, also at the same moment', async () => {
    const callId = randomUUID();
    await stage.grant(account, 10);
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(callId)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await balance()).toMatchObject({ reserved: 1_200 });
    await expect(reserve(callId.toUpperCase())).resolves.toMatchObject({ reserved: 1_200 });
  });

  test('calls that come together are held as if each had come alone', async () => {
    await stage.grant(account, 100);
    const calls = Array.from({ length: 200 }, () => randomUUID());
    const [known] = calls;
    await reserve(known!);
    // One of them is known, and one asks twice.
    const answers = await Promise.all([...calls, calls[7]!].map((callId) => reserve(callId)));
    expect(new Set(answers.map(({ reserved, seconds }) => `${reserved} for ${seconds}`))).toEqual(
      new Set(['1200 for 60']),
    );
    expect(await balance()).toMatchObject({ reserved: 200 * 1_200 });
    const [held] = await stage.database.query<{ calls: number; amount: string }>(
      `SELECT count(*) AS calls, sum(amount) AS amount FROM reservations WHERE account_id = $1 AND state = 'open'`,
      [account],
    );
    expect(held).toEqual({ calls: 200, amount: '24.0000' });
  });

  test('with credit for some of those that come together, no more is held than there is', async () => {
    await stage.grant(account, 0.9);
    const calls = Array.from({ length: 100 }, () => randomUUID());
    const outcomes = await Promise.allSettled(calls.map((callId) => reserve(callId)));
    const granted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value.reserved : []));
    // The first step of fifteen calls.
    expect(granted).toEqual(Array(15).fill(600));
    expect(await balance()).toEqual({ balance: 9_000, reserved: 9_000, available: 0 });
    expect(await stage.events(account)).toEqual(['billing.credit.exhausted']);
  });

  test('what is left pays for a first step, and then for nothing', async () => {
    await stage.grant(account, 0.1);
    expect(await reserve(randomUUID())).toEqual({ reserved: 600, seconds: 30, minutePrice: 1_200, exhausted: false });
    await expect(reserve(randomUUID())).rejects.toMatchObject({
      kind: ErrorKind.INSUFFICIENT_CREDIT,
      code: 'INSUFFICIENT_CREDIT',
    });
    await expect(reserve(randomUUID())).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDIT' });
    expect(await balance()).toEqual({ balance: 1_000, reserved: 600, available: 400 });
    // Told once, however many calls are refused.
    expect(await stage.events(account)).toEqual(['billing.credit.exhausted']);
  });

  test('an account without credit and an unknown account get nothing', async () => {
    await expect(reserve(randomUUID())).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDIT' });
    expect(await balance()).toEqual({ balance: 0, reserved: 0, available: 0 });
  });

  test('extension: as much as there is, a share at a time, never less than before', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const extend = () => stage.call('extendReservation', { callId: first, seconds: 120 });
    const extendAll = async () => {
      let answer = await extend();
      while (!answer.exhausted) {
        answer = await extend();
      }
      return answer;
    };
    await stage.grant(account, 0.2);
    expect(await reserve(first)).toMatchObject({ reserved: 600, seconds: 30 });
    // One who waits for a share of what the first one leaves.
    expect(await reserve(second)).toMatchObject({ reserved: 600, seconds: 30 });
    expect(await extend()).toEqual({ reserved: 720, seconds: 36, exhausted: false });
    expect(await extendAll()).toEqual({ reserved: 1_320, seconds: 66, exhausted: true });
    await stage.call('releaseReservation', { callId: second });
    expect(await extendAll()).toEqual({ reserved: 1_920, seconds: 96, exhausted: true });
    expect(await stage.call('extendReservation', { callId: first, seconds: 30 })).toMatchObject({
      seconds: 96,
      exhausted: false,
    });
  });

  test('the cut call: the sum charged is the credit, to the last fraction', async () => {
    await stage.grant(account, 0.6);
    // Twenty calls want to talk for ever with credit for five minutes in all.
    const calls = Array.from({ length: 20 }, () => randomUUID());
    const held = await Promise.allSettled(calls.map((callId) => reserve(callId)));
    const live = calls.filter((_, at) => held[at]?.status === 'fulfilled');
    let granted = new Map<string, number>();
    for (let wantMore = true; wantMore;) {
      const answers = await Promise.all(
        live.map((callId) => stage.call('extendReservation', { callId, seconds: 300 })),
      );
      granted = new Map(live.map((callId, at) => [callId, answers[at]!.seconds]));
      wantMore = answers.some(({ exhausted }) => !exhausted);
    }
    expect(await balance()).toMatchObject({ available: 0, reserved: 6_000 });
    expect([...granted.values()].reduce((sum, seconds) => sum + seconds, 0)).toBe(300);
    // Each is cut up to a second late, which would cost one step more than the credit.
    await deliver(...live.map((callId) => ended(callId, granted.get(callId)! + 1)));
    expect(await balance()).toEqual({ balance: 0, reserved: 0, available: 0 });
    const events = await stage.events(account);
    expect(events.filter((type) => type === 'billing.call.rated')).toHaveLength(live.length);
    expect(events.filter((type) => type === 'billing.credit.exhausted')).toHaveLength(1);
    expect(events.filter((type) => type === 'billing.credit.low')).toHaveLength(1);
  });

  test('one call is charged once: settled by request and by event, repeated and at the same moment', async () => {
    const callId = randomUUID();
    await stage.grant(account, 10);
    await reserve(callId);
    const same = ended(callId, 30);
    await Promise.all([
      stage.call('settleReservation', { callId, durationSeconds: 30 }),
      stage.call('settleReservation', { callId, durationSeconds: 30 }),
      deliver(same),
      deliver(ended(callId, 30), ended(callId, 30)),
    ]);
    expect(await stage.call('settleReservation', { callId, durationSeconds: 999 })).toEqual({
      price: 600,
      minutePrice: 1_200,
      billedSeconds: 30,
    });
    expect(await balance()).toEqual({ balance: 99_400, reserved: 0, available: 99_400 });
    expect(await stage.events(account)).toEqual(['billing.call.rated']);
    await expect(reserve(callId)).rejects.toMatchObject({ code: 'RESERVATION_CLOSED' });
    await expect(stage.call('extendReservation', { callId, seconds: 60 })).rejects.toMatchObject({
      code: 'RESERVATION_CLOSED',
    });
  });

  test('calls that cost nothing are rated too', async () => {
    await stage.grant(account, 10);
    const unanswered = randomUUID();
    await reserve(unanswered);
    await stage.call('releaseReservation', { callId: unanswered });
    await stage.call('releaseReservation', { callId: unanswered });
    await deliver(
      ended(unanswered, 0),
      ended(randomUUID(), 120, { callType: 'internal', to: '1001' }),
      ended(randomUUID(), 120, { callType: 'inbound', to: '1130033030' }),
      ended(randomUUID(), 120, { to: '999' }),
    );
    expect(await balance()).toEqual({ balance: 100_000, reserved: 0, available: 100_000 });
    expect(await stage.events(account)).toEqual(Array(4).fill('billing.call.rated'));
  });

  test('a call is billed for no more than was reserved for it, with all its extensions', async () => {
    const [short, extended, never] = [randomUUID(), randomUUID(), randomUUID()];
    await stage.grant(account, 100);
    await reserve(short);
    await reserve(extended);
    await stage.call('extendReservation', { callId: extended, seconds: 120 });
    // They ended after 40 s, and were found an hour later.
    await deliver(ended(short, 3_600), ended(extended, 3_600), ended(never, 3_600));
    expect(await balance()).toEqual({ balance: 1_000_000 - 1_200 - 2_400, reserved: 0, available: 1_000_000 - 3_600 });
    const rows = await stage.database.query(
      'SELECT duration_seconds AS duration, billed_seconds AS billed, price FROM reservations WHERE account_id = $1 ORDER BY price',
      [account],
    );
    expect(rows).toEqual([
      { duration: 3_600, billed: 0, price: '0.0000' },
      { duration: 3_600, billed: 60, price: '0.1200' },
      { duration: 3_600, billed: 120, price: '0.2400' },
    ]);
  });

  test('an unclaimed reservation expires by itself; a late end is still charged once', async () => {
    const [lost, live] = [randomUUID(), randomUUID()];
    await stage.grant(account, 10);
    await reserve(lost);
    await reserve(live);
    const began = time;
    time = new Date(began.getTime() + 959_000);
    await expireHolds(stage.database, time);
    expect(await balance()).toMatchObject({ reserved: 2_400 });
    // A call that extends its hold is alive.
    await stage.call('extendReservation', { callId: live, seconds: 30 });
    time = new Date(began.getTime() + 960_000);
    await Promise.all([expireHolds(stage.database, time), expireHolds(stage.database, time)]);
    expect(await balance()).toEqual({ balance: 100_000, reserved: 1_200, available: 98_800 });
    await deliver(ended(lost, 31), ended(lost, 31));
    expect(await balance()).toEqual({ balance: 99_280, reserved: 1_200, available: 98_080 });
    time = began;
  });

  test('an expired reservation is not in the way of the next call, swept or not', async () => {
    const began = time;
    await stage.grant(account, 0.1);
    await reserve(randomUUID());
    time = new Date(began.getTime() + 3_600_000);
    expect(await reserve(randomUUID())).toMatchObject({ reserved: 600 });
    time = began;
  });

  test('low credit is told on the way down, and again after credit has come', async () => {
    await stage.grant(account, 1.05);
    await talk(randomUUID(), 30);
    await talk(randomUUID(), 30);
    await stage.grant(account, 5);
    await talk(randomUUID(), 60 * 45);
    expect((await stage.events(account)).filter((type) => type !== 'billing.call.rated')).toEqual([
      'billing.credit.low',
      'billing.credit.low',
    ]);
  });

  test('the statement: newest first, in pages, by filter', async () => {
    await stage.grant(account, 10);
    const calls = Array.from({ length: 4 }, () => randomUUID());
    for (const callId of calls) {
      await talk(callId, 30);
    }
    const statement = (filter: object, page = 1) =>
      stage.call('getStatement', { page, filter: JSON.stringify(filter) }, { accountId: account });
    const second = await statement({ limit: 2 }, 2);
    expect(second.data.map(({ callId }) => callId)).toEqual([calls[1], calls[0]]);
    expect(second.meta).toMatchObject({ totalItemCount: 5, totalPageCount: 3, nextPage: 3, previousPage: 1 });
    expect((await statement({ order: 'id ASC', limit: 1 })).data).toMatchObject([{ kind: 'grant', balance: 100_000 }]);
    expect((await statement({ where: { callId: calls[2] } })).data).toMatchObject([{ amount: -600, balance: 98_200 }]);
    expect((await statement({ where: { kind: 'call', amount: { lt: 0 } } })).meta).toMatchObject({ totalItemCount: 4 });
    expect((await statement({ where: { at: '2026-03-10' } })).meta).toMatchObject({ totalItemCount: 5 });
    await expect(statement({ where: { account_id: 1 } })).rejects.toMatchObject({ code: 'INVALID_FILTER' });

    const within = (startDate: string, endDate: string) =>
      stage.call('getStatement', { startDate, endDate }, { accountId: account });
    expect((await within('2026-03-10', '2026-03-10')).meta).toMatchObject({ totalItemCount: 5 });
    expect((await within('2026-03-11', '2026-03-12')).meta).toMatchObject({ totalItemCount: 0 });
    await expect(within('soon', '')).rejects.toThrow(/"startDate" is not a date/);
  });

  test('the money of a call: held while it lasts, then its price, and nothing of another account', async () => {
    await stage.grant(account, 10);
    const callId = randomUUID();
    const money = async (accountId = account) => (await stage.call('getCallMoney', { callId }, { accountId })).money!;
    expect(await money()).toMatchObject({
      callId,
      currency: 'BRL',
      rate: undefined,
      reservation: undefined,
      entries: [],
    });

    await reserve(callId);
    expect(await money()).toMatchObject({
      rate: { prefix: '55', minute_price: 1200, minimum_seconds: 30, increment_seconds: 6 },
      call_price: undefined,
      reservation: { state: ReservationState.OPEN, reserved: 1200, released: 0, seconds: 60, closedAt: undefined },
      entries: [],
    });
    await deliver(ended(callId, 40));
    expect(await money()).toMatchObject({
      duration: 40,
      billed_seconds: 42,
      increments: 2,
      call_price: 840,
      reservation: { state: ReservationState.SETTLED, reserved: 1200, released: 360, seconds: 60 },
      entries: [{ kind: 'call', amount: -840, balance: 99_160, callId }],
    });
    expect(await money(account + 1)).toMatchObject({ rate: undefined, reservation: undefined, entries: [] });
  });

  test('a grant counts once per key', async () => {
    const grant = { accountId: account, amount: 1_000_000, key: 'demo', description: 'Welcome' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => stage.call('grantCredit', grant)));
    expect(answers.map((answer) => answer.balance)).toEqual(Array(5).fill(1_000_000));
    await expect(stage.call('grantCredit', { ...grant, amount: 0 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  test('nonsense is refused with its reason', async () => {
    await expect(reserve('not-a-uuid')).rejects.toMatchObject({ violations: [{ field: 'callId' }] });
    await expect(reserve(randomUUID(), 'x')).rejects.toMatchObject({ violations: [{ field: 'destination' }] });
    await expect(reserve(randomUUID(), '881')).rejects.toMatchObject({ code: 'NO_RATE' });
    const callId = randomUUID();
    await expect(stage.call('extendReservation', { callId, seconds: 0 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(stage.call('extendReservation', { callId, seconds: 6 })).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
    });
    await expect(stage.call('settleReservation', { callId, durationSeconds: 6 })).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
    });
    await stage.call('releaseReservation', { callId });
  });
});

import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { HangupCause, SummaryInterval } from '@sabia/protos/sabia/telephony/v1/messages';
import { refusal } from '@sabia/testkit/refused-rpc';
import { hangupCauses } from '../src/domain/hangup-cause';
import { newAccount, openStage } from './stage';
import type { Replica, Stage } from './stage';
import { insertCalls } from './support/insert-calls';

let stage: Stage;
let replica: Replica;
let caller: Caller;

beforeAll(async () => {
  stage = await openStage();
  replica = await stage.start();
  caller = newAccount(stage);
  await insertCalls(stage.sql, caller.accountId, [
    // São Paulo is three hours behind UTC: this is the last minute of the day before.
    { at: '2026-03-02T02:59:00Z', seconds: 60, price: 0.5 },
    { at: '2026-03-02T12:10:00Z', seconds: 30, price: 0.25 },
    { at: '2026-03-02T12:50:00Z', seconds: 6, price: 0.25, from: '1001' },
    { at: '2026-03-02T13:05:00Z', cause: 'USER_BUSY' },
    { at: '2026-03-02T13:06:00Z', cause: 'NO_ANSWER', type: 'internal' },
    { at: '2026-03-02T13:07:00Z', live: true },
    { at: '2026-03-03T02:59:59.999Z', seconds: 90, price: 0.75 },
  ]);
  await insertCalls(stage.sql, caller.accountId + 1, [{ at: '2026-03-02T12:10:00Z', seconds: 30, price: 9 }]);
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

test('a day in figures: by the hour, in the time zone of the account', async () => {
  const summary = await replica.as(caller).summarizeCalls({ startDate: '2026-03-02', endDate: '2026-03-02' });
  expect(summary).toMatchObject({
    startDate: new Date('2026-03-02T03:00:00Z'),
    endDate: new Date('2026-03-03T03:00:00Z'),
    timeZone: 'America/Sao_Paulo',
    interval: SummaryInterval.HOUR,
    total: {
      calls: 6,
      live: 1,
      answered: 3,
      answerRate: 0.5,
      talkSeconds: 126,
      averageDuration: 42,
      spend: 12_500,
      outbound: 4,
      shortCalls: 2,
      shortAnswered: 1,
      shortShare: 0.5,
    },
    causes: [
      { cause: HangupCause.NORMAL_CLEARING, calls: 3 },
      { cause: HangupCause.NO_ANSWER, calls: 1 },
      { cause: HangupCause.USER_BUSY, calls: 1 },
    ],
  });
  expect(summary.buckets).toHaveLength(24);
  expect(summary.buckets[9]).toMatchObject({
    at: new Date('2026-03-02T12:00:00Z'),
    calls: 2,
    answered: 2,
    spend: 5000,
  });
  expect(summary.buckets[10]).toMatchObject({ calls: 3, answered: 0, answerRate: 0, outbound: 1, shortShare: 1 });
  expect(summary.buckets[11]).toMatchObject({ calls: 0, answerRate: undefined, averageDuration: undefined });
});

test('several days: by the day; the same filters as the list, and the same calls', async () => {
  const telephony = replica.as(caller);
  const bounds = { startDate: '2026-03-01', endDate: '2026-03-05' };
  const summary = await telephony.summarizeCalls(bounds);
  expect(summary.interval).toBe(SummaryInterval.DAY);
  expect(summary.buckets.map(({ calls }) => calls)).toEqual([1, 6, 0, 0, 0]);
  for (const where of [
    { from: '1001' },
    { hangup_cause: { inq: ['USER_BUSY', 'NO_ANSWER'] } },
    { call_type: 'internal' },
  ]) {
    const request = { ...bounds, filter: JSON.stringify({ where }) };
    const [{ total }, { meta }] = [await telephony.summarizeCalls(request), await telephony.listCalls(request)];
    expect(total!.calls).toBe(meta!.totalItemCount);
  }
});

test('a bound that is a moment is included; without bounds it is today', async () => {
  const telephony = replica.as(caller);
  const hour = { startDate: '2026-03-02T12:00:00Z', endDate: '2026-03-02T13:05:00Z' };
  const summary = await telephony.summarizeCalls(hour);
  expect(summary.buckets.map(({ calls }) => calls)).toEqual([2, 1]);
  const { startDate, endDate, total } = await telephony.summarizeCalls({});
  expect(total!.calls).toBe(0);
  expect(startDate!.toISOString()).toMatch(/T03:00:00.000Z$/);
  expect(endDate!.getTime() - startDate!.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
});

test.each([
  [{ startDate: 'yesterday' }, /startDate/],
  [{ startDate: '2026-03-02', endDate: '2026-03-01' }, /"endDate" is before "startDate"/],
  [{ startDate: '2026-01-01', endDate: '2026-04-03' }, /at most 92 days/],
  [{ startDate: '2026-01-01', endDate: '2026-02-28', interval: SummaryInterval.HOUR }, /at most 31 days/],
  [{ filter: '{"where":{"nope":1}}' }, /call has no field "nope"/],
])('%j is refused', async (request, message) => {
  const refused = await refusal(replica.as(caller).summarizeCalls(request));
  expect(refused.code).toBe('INVALID_FILTER');
  expect(refused.message).toMatch(message);
});

test('the contract names every cause that there is, with its code', () => {
  const { UNSPECIFIED: _none, ...named } = Object.fromEntries(
    Object.entries(HangupCause).filter(([, value]) => typeof value === 'number'),
  );
  expect(named).toEqual(hangupCauses);
});

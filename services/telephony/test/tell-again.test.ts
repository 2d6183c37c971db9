import { createOutbox } from '@sabia/service-kit/events/outbox';
import { createLogger } from '@sabia/service-kit/logging';
import { createTellAgain } from '../src/driving/tell-again';
import { createRecordingUrls } from '../src/domain/recording-url';
import { setPrices } from '../src/storage/prices';
import { newAccount, numbers, openStage, whenCall } from './stage';
import type { Replica, Stage } from './stage';

const minute = 60_000;
const day = 24 * 60 * minute;
/** When the effects of a call are first looked for, and then some. */
const due = minute;
let stage: Stage;
let replica: Replica;

beforeAll(async () => {
  // NATS is away: the outbox shows everything that is told.
  stage = await openStage();
  replica = await stage.start();
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

beforeEach(() => stage.sql.query('TRUNCATE outbox, unsettled_calls'));

/** The sweep at a time after the end of the calls, between a billing and a webhook that only pretend. */
function openSweep() {
  const asked: string[][] = [];
  const handled = new Set<string>();
  const lines: string[] = [];
  let ahead = 0;
  const sweep = createTellAgain({
    database: stage.sql,
    outbox: createOutbox({ poke: () => undefined }),
    billing: { tellPricesAgain: async (callIds) => void asked.push(callIds) },
    webhook: { handledEvents: async (ids) => new Set(ids.filter((id) => handled.has(id))) },
    urls: createRecordingUrls({ publicUrl: 'http://sabia.test', secret: 'a secret of the test' }),
    log: createLogger({ name: 'test', level: 'warn', destination: { write: (line: string) => void lines.push(line) } }),
    now: () => new Date(Date.now() + ahead),
  });
  return { asked, handled, lines, at: (ms: number) => ((ahead = ms), sweep()) };
}

async function endCall() {
  const caller = newAccount(stage);
  const { id } = await replica.as(caller).placeCall({ extension: '1000', called: numbers.busy });
  await whenCall(replica.as(caller), id, 'ended');
  const price = () =>
    setPrices(stage.sql, [{ callId: id, accountId: caller.accountId, minutePrice: 0, callPrice: 0, billedSeconds: 0 }]);
  return { id, price };
}

const ends = async (callId: string) => {
  const told = await stage.sql.query<{ id: string; payload: Buffer }>(
    `SELECT id, payload FROM outbox WHERE type = 'telephony.call.ended' ORDER BY position`,
  );
  return told.filter(({ payload }) => payload.includes(callId)).map(({ id }) => id);
};
const unsettled = async () => (await stage.sql.query('SELECT FROM unsettled_calls')).length;

test('the end of a call without a price is published again under the same id, and billing is asked for the price', async () => {
  const sweep = openSweep();
  const { id, price } = await endCall();
  await sweep.at(0);
  expect([await ends(id), sweep.asked]).toEqual([[expect.any(String)], []]);
  const [eventId] = await ends(id);
  sweep.handled.add(eventId!);

  await sweep.at(due);
  expect([await ends(id), sweep.asked]).toEqual([[eventId, eventId], [[id]]]);
  await sweep.at(due + minute / 2);
  expect(await ends(id)).toHaveLength(2);

  await price();
  await sweep.at(10 * minute);
  expect([await ends(id), sweep.asked, await unsettled()]).toEqual([[eventId, eventId], [[id]], 0]);
});

test('so is one without a webhook delivery; its price is not asked for', async () => {
  const sweep = openSweep();
  const { id, price } = await endCall();
  await price();
  await sweep.at(due);
  const [first, again, ...more] = await ends(id);
  expect([again, more, sweep.asked]).toEqual([first, [], []]);
  sweep.handled.add(first!);
  await sweep.at(10 * minute);
  expect([await ends(id), await unsettled()]).toEqual([[first, first], 0]);
});

test('the repeated event carries the link to the recording', async () => {
  const sweep = openSweep();
  const caller = newAccount(stage, { gravarAudio: true });
  const { id } = await replica.as(caller).placeCall({ extension: '1000', called: numbers.hangupAfter(1) });
  await whenCall(replica.as(caller), id, 'ended');
  await sweep.at(due);
  const [first, again] = (await stage.eventsOf(id)).filter(({ type }) => type === 'telephony.call.ended');
  expect(first!.call.recordUrl).toContain(id);
  expect(again!.call.recordUrl).toBe(first!.call.recordUrl);
});

test('services alone are told again, for the account has been told', async () => {
  const sweep = openSweep();
  await endCall();
  await sweep.at(due);
  const rows = await stage.sql.query<{ services_only: boolean }>(
    `SELECT services_only FROM outbox WHERE type = 'telephony.call.ended' ORDER BY position`,
  );
  expect(rows.map((row) => row.services_only)).toEqual([false, true]);
});

test('a call with price and webhook is published once, even when many end', async () => {
  const sweep = openSweep();
  const calls = await Promise.all(Array.from({ length: 20 }, endCall));
  for (const { id, price } of calls) {
    await price();
    (await ends(id)).forEach((eventId) => sweep.handled.add(eventId));
  }
  await sweep.at(due);
  const [{ count } = { count: 0 }] = await stage.sql.query<{ count: number }>(
    `SELECT count(*) AS count FROM outbox WHERE type = 'telephony.call.ended'`,
  );
  expect([count, await unsettled(), sweep.lines]).toEqual([20, 0, []]);
});

test('a call is given up after three days, with a log message', async () => {
  const sweep = openSweep();
  const { id } = await endCall();
  await sweep.at(3 * day + minute);
  expect([await ends(id), await unsettled()]).toEqual([[expect.any(String)], 0]);
  expect(sweep.lines.join()).toContain(id);
});

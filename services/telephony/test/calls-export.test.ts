import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { refusal } from '@sabia/testkit/refused-rpc';
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
});

afterAll(async () => {
  await replica?.stop();
  await stage?.close();
});

/** All chunks, as the gateway puts them together. */
async function exported(request: { filter?: string; startDate?: string; endDate?: string }, who = caller) {
  const chunks: Buffer[] = [];
  let cursor: string | undefined;
  do {
    const part = await replica.as(who).exportCalls({ ...request, cursor });
    chunks.push(part.chunk);
    cursor = part.cursor;
  } while (cursor !== undefined);
  return { text: Buffer.concat(chunks).toString(), chunks: chunks.length };
}

const headings =
  '\uFEFFid,call_type,status,started_at,answered_at,ended_at,from,to,duration,billed_seconds,hangup_cause,minute_price,call_price,' +
  'first_name,last_name,email,BINA,record_url,metadata';

test('lines with times in the zone of the account, quoted texts, and no formula', async () => {
  const [, evil] = await insertCalls(stage.sql, caller.accountId, [
    { at: '2026-03-02T12:10:00.250Z', seconds: 30, price: 0.25, metadata: { note: 'a "quoted", one' } },
    { at: '2026-03-03T12:00:00Z', live: true },
  ]);
  await stage.sql.query('UPDATE calls SET first_name = $2, last_name = $3 WHERE id = $1', [
    evil,
    '=HYPERLINK("http://x")',
    // Formulas where the semicolon or the tab separates cells.
    '-1;=A1;B-2\t@C3;"+D4"',
  ]);
  const { text } = await exported({});
  const [first, second, third, ...rest] = text.split('\r\n');
  expect(first).toBe(headings);
  expect(second).toBe(
    `${evil},outbound,ringing,2026-03-03T09:00:00.000-03:00,,,1000,551155500101,,,,,,"'=HYPERLINK(""http://x"")","'-1;'=A1;B-2\t'@C3;""'+D4""",a@example.com,,,{}`,
  );
  expect(third).toContain(
    ',outbound,ended,2026-03-02T09:10:00.250-03:00,2026-03-02T09:10:05.250-03:00,2026-03-02T09:10:35.250-03:00,1000,551155500101,30,,' +
      'NORMAL_CLEARING,0.5,0.25,Ana,Sá,a@example.com,,,"{""note"":""a \\""quoted\\"", one""}"',
  );
  expect(rest).toEqual(['']);
  expect((await exported({}, newAccount(stage))).text).toBe(`${headings}\r\n`);
});

test('many calls come in chunks, each once and newest first, by the same filters as the list', async () => {
  const many = newAccount(stage);
  const at = (nth: number) => new Date(Date.UTC(2026, 3, 1) + nth * 60_000).toISOString();
  await insertCalls(
    stage.sql,
    many.accountId,
    Array.from({ length: 2500 }, (_, nth) => ({
      at: at(nth),
      seconds: nth % 7,
      from: nth % 5 === 0 ? '1001' : '1000',
    })),
  );
  const { text, chunks } = await exported({}, many);
  const ids = text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0]!);
  expect(chunks).toBe(3);
  expect(new Set(ids).size).toBe(2500);
  expect([...ids].sort().reverse()).toEqual(ids);

  for (const request of [
    { filter: '{"where":{"from":"1001"}}' },
    { startDate: '2026-04-01', endDate: '2026-04-01' },
    { filter: '{"where":{"from":{"like":"%1"},"duration":{"gt":2}}}' },
  ]) {
    const { meta } = await replica.as(many).listCalls({ ...request, page: 1 });
    expect((await exported(request, many)).text.split('\r\n')).toHaveLength(meta!.totalItemCount + 2);
  }
});

test('long metadata make short chunks', async () => {
  const wordy = newAccount(stage);
  await insertCalls(
    stage.sql,
    wordy.accountId,
    Array.from({ length: 100 }, (_, nth) => ({
      at: new Date(Date.UTC(2026, 3, 1) + nth * 60_000).toISOString(),
      metadata: { text: 'á'.repeat(8_000) },
    })),
  );
  const { text, chunks } = await exported({}, wordy);
  expect(chunks).toBeGreaterThan(1);
  expect(text.split('\r\n')).toHaveLength(102);
});

test('a wrong filter and a wrong cursor are refused', async () => {
  const telephony = replica.as(caller);
  expect((await refusal(telephony.exportCalls({ filter: '{"where":{"nope":1}}' }))).code).toBe('INVALID_FILTER');
  expect((await refusal(telephony.exportCalls({ cursor: 'x' }))).code).toBe('INVALID_FILTER');
});

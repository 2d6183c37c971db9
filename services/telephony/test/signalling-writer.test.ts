import { randomUUID } from 'node:crypto';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { createTelemetry } from '@sabia/service-kit/telemetry';
import type { Telemetry } from '@sabia/service-kit/telemetry';
import { createTestDatabase } from '@sabia/testkit/database';
import type { TestDatabase } from '@sabia/testkit/database';
import type { SipMessage } from '../src/domain/sip-message';
import { readSignalling } from '../src/storage/call-signalling';
import type { CallMessages } from '../src/switch/asterisk/capture/message-book';
import { createSignallingWriter } from '../src/switch/asterisk/capture/signalling-writer';

const logged: { msg: string; callId?: string }[] = [];
const log = createLogger({
  name: 'test',
  level: 'info',
  destination: { write: (line: string) => void logged.push(JSON.parse(line) as (typeof logged)[number]) },
});
let database: TestDatabase;
let sql: Database;
let admin: Database;
let telemetry: Telemetry;
let writer: ReturnType<typeof createSignallingWriter>;

beforeAll(async () => {
  database = await createTestDatabase('telephony');
  const options = { applicationName: 'test', poolSize: 2, log };
  sql = createDatabase({ ...options, url: database.url, statementTimeoutMs: 3_000 });
  admin = createDatabase({ ...options, url: database.adminUrl });
  telemetry = await createTelemetry({ serviceName: 'telephony', metricsPort: 0, metricsHost: '127.0.0.1' });
  writer = createSignallingWriter({ database: sql, meter: telemetry.meter, log });
});
afterAll(async () => {
  await Promise.all([sql?.close(), admin?.close(), telemetry?.shutdown()]);
  await database?.drop();
});

const messagesOf = (reason: string, count = 1): CallMessages => {
  const message: SipMessage = { at: Date.now(), status: 480, reason, cseq: '1 INVITE', tag: 't' };
  return { callId: randomUUID(), leg: 'a', messages: Array.from({ length: count }, () => message) };
};
const stored = (rows: CallMessages[]): Promise<number[]> =>
  Promise.all(
    rows.map(async ({ callId }) => (await readSignalling(sql, callId)).flatMap((row) => row.messages).length),
  );

test('what the database refuses of one call costs no other call its messages', async () => {
  const rows = [messagesOf('one', 2), messagesOf('\ud83d'), messagesOf('\u0000', 3), messagesOf('two')];
  await writer.write(rows);
  expect(await stored(rows)).toEqual([2, 0, 0, 1]);
  expect(logged.map(({ callId }) => callId)).toEqual([rows[1]!.callId, rows[2]!.callId]);
  const metrics = await fetch(`http://127.0.0.1:${telemetry.metricsPort}/metrics`).then((answer) => answer.text());
  expect(metrics).toMatch(/^sabia_sip_messages_refused_total(\{.*\})? 4$/m);
});

test('while the database does not answer messages wait, as many as there is room for', async () => {
  const early = messagesOf('early', 200);
  const rows = Array.from({ length: 250 }, () => messagesOf('late', 200));
  await admin.transaction(async (tx) => {
    await tx.query('LOCK TABLE telephony.call_signalling');
    await expect(writer.write([early])).rejects.toMatchObject({ code: '57014' });
    await expect(writer.write(rows)).rejects.toMatchObject({ code: '57014' });
  });
  const after = messagesOf('after');
  await writer.write([after]);
  const [first, ...others] = rows;
  expect(await stored([early, first!])).toEqual([0, 0]);
  expect(new Set(await stored(others))).toEqual(new Set([200]));
  expect(await stored([after])).toEqual([1]);
});

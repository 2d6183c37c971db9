import { randomBytes } from 'node:crypto';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { CallType } from '../../src/domain/call';
import { codeOf } from '../../src/domain/hangup-cause';
import type { HangupCause } from '../../src/domain/hangup-cause';

export interface PastCall {
  at: string;
  /** Talking time; without it the call was not answered. */
  seconds?: number;
  price?: number;
  cause?: HangupCause;
  type?: CallType;
  from?: string;
  live?: boolean;
  metadata?: object;
}

/** A version 7 uuid of that moment. */
function idAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0') + '7' + randomBytes(10).toString('hex').slice(0, 19);
  return hex.replace(/^(.{8})(.{4})(.{4}).(.{3})(.{12})$/, '$1-$2-$3-8$4-$5');
}

/** Calls of the past, written to the tables themselves; returns their ids. `into`: of former releases, which had one. */
export async function insertCalls(
  sql: Queryable,
  accountId: number,
  calls: PastCall[],
  into?: string,
): Promise<string[]> {
  const rows = calls.map(rowOf);
  const insert = (table: string, some: typeof rows) =>
    sql.query(
      `INSERT INTO ${table} (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at, answered_at,
       ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, minute_price, call_price, metadata, record)
     SELECT id, $1, 1, 'd', 'America/Sao_Paulo', type, status, "from", '551155500101', "startedAt", "answeredAt",
       "endedAt", duration, cause, code, 'a@example.com', 'Ana', 'Sá', "minutePrice", price, metadata, false
     FROM json_to_recordset($2::json) AS row (id uuid, type text, status text, "from" text, "startedAt" timestamptz,
       "answeredAt" timestamptz, "endedAt" timestamptz, duration integer, cause text, code text, "minutePrice" numeric, price numeric,
       metadata json)`,
      [accountId, JSON.stringify(some)],
    );
  await insert(
    into ?? 'calls_final',
    rows.filter(({ endedAt }) => into !== undefined || endedAt !== null),
  );
  if (into === undefined)
    await insert(
      'calls_current',
      rows.filter(({ endedAt }) => endedAt === null),
    );
  await sql.query(
    `INSERT INTO live_calls (call_id, account_id, ramal, due_at, is_ringing, talking_since)
     SELECT id, account_id, from_number, 'infinity', true, answered_at FROM calls WHERE account_id = $1 AND ended_at IS NULL
     ON CONFLICT DO NOTHING`,
    [accountId],
  );
  await sql.query(
    `INSERT INTO call_counters AS known (account_id, shard, total) VALUES ($1, 0, $2)
     ON CONFLICT (account_id, shard) DO UPDATE SET total = known.total + excluded.total`,
    [accountId, rows.length],
  );
  return rows.map(({ id }) => id);
}

function rowOf(call: PastCall) {
  const { seconds, price, type = 'outbound', from = '1000', live = false, metadata = {} } = call;
  const cause = live ? null : (call.cause ?? 'NORMAL_CLEARING');
  const startedAt = new Date(call.at);
  const after = (span: number): Date => new Date(startedAt.getTime() + span * 1000);
  return {
    ...{ id: idAt(startedAt), type, from, startedAt, cause, price, metadata },
    status: live ? 'ringing' : 'ended',
    answeredAt: seconds === undefined ? null : after(5),
    endedAt: live ? null : after(5 + (seconds ?? 0)),
    duration: live ? null : (seconds ?? 0),
    code: cause && codeOf(cause),
    minutePrice: price === undefined ? null : 0.5,
  };
}

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

/** Calls of the past, written to the table itself; returns their ids. */
export async function insertCalls(sql: Queryable, accountId: number, calls: PastCall[]): Promise<string[]> {
  return Promise.all(calls.map((call) => insertCall(sql, accountId, call)));
}

async function insertCall(sql: Queryable, accountId: number, call: PastCall): Promise<string> {
  const { seconds, price, type = 'outbound', from = '1000', live = false, metadata = {} } = call;
  const cause = live ? null : (call.cause ?? 'NORMAL_CLEARING');
  const startedAt = new Date(call.at);
  const after = (span: number): Date => new Date(startedAt.getTime() + span * 1000);
  const id = idAt(startedAt);
  await sql.query(
    `INSERT INTO calls (id, account_id, user_id, domain, time_zone, call_type, status, from_number, to_number, started_at, answered_at,
       ended_at, duration, hangup_cause, hangup_cause_code, email, first_name, last_name, minute_price, call_price, metadata, record)
     VALUES ($1, $2, 1, 'd', 'America/Sao_Paulo', $3, $4, $5, '551155500101', $6, $7, $8, $9, $10, $11, 'a@example.com', 'Ana', 'Sá',
       $12, $13, $14, false)`,
    [
      id,
      accountId,
      type,
      live ? 'ringing' : 'ended',
      from,
      startedAt,
      seconds === undefined ? null : after(5),
      live ? null : after(5 + (seconds ?? 0)),
      live ? null : (seconds ?? 0),
      cause,
      cause && codeOf(cause),
      price === undefined ? null : 0.5,
      price ?? null,
      JSON.stringify(metadata),
    ],
  );
  return id;
}

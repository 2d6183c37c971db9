import { hasAlso, isAmong } from '@sabia/service-kit/postgres/any-value';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import { monthsOf } from '@sabia/service-kit/postgres/partitions/months';
import { state, stateIn } from './call-state';
import type { CallState } from './call-state';
import { newestIds } from './call-source';
import { findDialled } from './dial-ids';

/** Prices are read as integers of 1/10000 real, metadata as the text that was sent. */
export const callColumnsWith = ({
  status,
  answeredAt,
}: CallState): string => `id, dial_id AS "dialId", account_id AS "accountId", user_id AS "userId", domain,
  time_zone AS "timeZone", call_type AS type, ${status} AS status, from_number AS "from", to_number AS "to", called,
  started_at AS "startedAt", ${answeredAt} AS "answeredAt", ended_at AS "endedAt", duration,
  hangup_cause AS "hangupCause", hangup_cause_code AS "hangupCauseCode", email, first_name AS "firstName",
  last_name AS "lastName", bina, (minute_price * 10000)::bigint AS "minutePrice",
  (call_price * 10000)::bigint AS "callPrice", billed_seconds AS "billedSeconds", metadata::text AS metadata, record,
  record_url AS "recordUrl", traceparent`;

export const callColumns = callColumnsWith(state);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuid.test(text);

/** Finds a call by its id, or by the dial id that POST /dialer returned. */
export async function findCall(queryable: Queryable, accountId: number, id: string): Promise<Call | undefined> {
  if (!isUuid(id)) {
    return undefined;
  }
  const find = async (callId: string): Promise<Call | undefined> => {
    const months = monthsOf([callId]);
    const [call] = await queryable.query<Call>(
      `SELECT ${callColumns} FROM calls WHERE id = $1::uuid AND ${hasAlso('account_id', '$2::bigint')} AND ${months.hold('id')}`,
      [callId, accountId],
      { name: months.nameOf('find-call') },
    );
    return call;
  };
  const call = await find(id);
  if (call !== undefined) {
    return call;
  }
  const dialled = await findDialled(queryable, id);
  return dialled === undefined ? undefined : find(dialled);
}

/** The calls with these ids, of any account; in no order. */
export async function findCalls(queryable: Queryable, ids: string[]): Promise<Call[]> {
  if (ids.length === 0) {
    return [];
  }
  const months = monthsOf(ids);
  return queryable.query<Call>(
    `SELECT ${callColumns} FROM calls WHERE ${isAmong('id', '$1')} AND ${months.hold('id')}`,
    [ids],
    { name: months.nameOf('find-calls') },
  );
}

/** The id of the call with this id or dial id, of any account. */
export async function findCallId(queryable: Queryable, id: string): Promise<string | undefined> {
  const months = monthsOf([id]);
  const text = `SELECT id FROM calls WHERE id = $1::uuid AND ${months.hold('id')}`;
  const [call] = await queryable.query<{ id: string }>(text, [id], { name: months.nameOf('find-call-id') });
  return call?.id ?? findDialled(queryable, id);
}

/** The newest calls of an account, live ones included. */
export async function listNewest(queryable: Queryable, accountId: number, limit: number): Promise<Call[]> {
  return queryable.query<Call>(
    `SELECT ${callColumns} FROM calls WHERE id = ANY (ARRAY(${newestIds('account_id = $1::bigint', { limit: '$2::bigint' })}))
     ORDER BY id DESC`,
    [accountId, limit],
    { name: 'list-newest-of-account' },
  );
}

const mostListedLive = 1000;

/** The calls of an account that have not ended, newest first. */
export async function listLiveOf(queryable: Queryable, accountId: number): Promise<Call[]> {
  return queryable.query<Call>(
    `SELECT ${callColumnsWith(stateIn('live'))}
     FROM (
       SELECT call_id, is_ringing, talking_since FROM live_calls WHERE account_id = $1::bigint ORDER BY call_id DESC LIMIT $2
     ) AS live JOIN calls_current AS calls ON calls.id = live.call_id ORDER BY id DESC`,
    [accountId, mostListedLive],
    { name: 'list-live-of-account' },
  );
}

import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';

/** Prices are read as integers of 1/10000 real, metadata as the text that was sent. */
export const callColumns = `id, dial_id AS "dialId", account_id AS "accountId", user_id AS "userId", domain,
  time_zone AS "timeZone", call_type AS type, status, from_number AS "from", to_number AS "to", called,
  started_at AS "startedAt", answered_at AS "answeredAt", ended_at AS "endedAt", duration,
  hangup_cause AS "hangupCause", hangup_cause_code AS "hangupCauseCode", email, first_name AS "firstName",
  last_name AS "lastName", bina, (minute_price * 10000)::bigint AS "minutePrice",
  (call_price * 10000)::bigint AS "callPrice", billed_seconds AS "billedSeconds", metadata::text AS metadata, record,
  record_url AS "recordUrl", traceparent`;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuid.test(text);

/** Finds a call by its id, or by the dial id that POST /dialer returned. */
export async function findCall(queryable: Queryable, accountId: number, id: string): Promise<Call | undefined> {
  if (!isUuid(id)) {
    return undefined;
  }
  const [call] = await queryable.query<Call>(
    `SELECT ${callColumns} FROM calls WHERE id = $1::uuid AND account_id = $2::bigint
     UNION ALL
     SELECT ${callColumns} FROM calls WHERE dial_id = $1::uuid AND account_id = $2::bigint`,
    [id, accountId],
    { name: 'find-call' },
  );
  return call;
}

/** The id of the call with this id or dial id, of any account. */
export async function findCallId(queryable: Queryable, id: string): Promise<string | undefined> {
  const [call] = await queryable.query<{ id: string }>(
    'SELECT id FROM calls WHERE id = $1::uuid UNION ALL SELECT id FROM calls WHERE dial_id = $1::uuid',
    [id],
    { name: 'find-call-id' },
  );
  return call?.id;
}

/** The newest calls of an account, live ones included. */
export async function listNewest(queryable: Queryable, accountId: number, limit: number): Promise<Call[]> {
  return queryable.query<Call>(
    `SELECT ${callColumns} FROM calls WHERE account_id = $1::bigint ORDER BY account_id DESC, id DESC LIMIT $2`,
    [accountId, limit],
    { name: 'list-newest-of-account' },
  );
}

const mostListedLive = 1000;

/** The calls of an account that have not ended, newest first. */
export async function listLiveOf(queryable: Queryable, accountId: number): Promise<Call[]> {
  return queryable.query<Call>(
    `SELECT ${callColumns} FROM calls WHERE account_id = $1::bigint AND status <> 'ended' ORDER BY id DESC LIMIT $2`,
    [accountId, mostListedLive],
    { name: 'list-live-of-account' },
  );
}

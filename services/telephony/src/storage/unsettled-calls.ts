import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Call } from '../domain/call';
import { findCalls } from './calls';

/** From the end of a call to the first look for its effects. Prices and webhooks take a second or two. */
export const firstLook = `interval '30 seconds'`;
/** Between the first look and the second; doubles with each look. */
const secondLook = `interval '1 minute'`;
const longestWait = `interval '1 hour'`;

/** Takes the calls that are due, the longest waiting first. Replicas take different ones. */
export async function takeUnsettled(queryable: Queryable, now: Date, limit: number): Promise<Call[]> {
  const due = await queryable.query<{ id: string }>(
    `UPDATE unsettled_calls SET tries = tries + 1,
       look_at = $1::timestamptz + least(${longestWait}, ${secondLook} * 2 ^ least(tries, 10))
     WHERE call_id = ANY (ARRAY(
       SELECT call_id FROM unsettled_calls WHERE look_at <= $1 ORDER BY look_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ))
     RETURNING call_id AS id`,
    [now, limit],
    { name: 'take-unsettled' },
  );
  const ids = due.map(({ id }) => id);
  return findCalls(queryable, ids);
}

export async function forgetUnsettled(queryable: Queryable, callIds: string[]): Promise<void> {
  await queryable.query('DELETE FROM unsettled_calls WHERE call_id = ANY ($1::uuid[])', [callIds], {
    name: 'forget-unsettled',
  });
}

import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { writeReason } from '../domain/reason';
import type { ToldDelivery } from '../domain/told-delivery';

const chunk = 1_000;

/*
 * Deliveries that wait for a disabled webhook become dead; they can be replayed. Those being sent stay in the queue while their lease
 * lasts, and may still be delivered. Tests are sent to a disabled webhook, too.
 */
const statement = `
  WITH lost AS MATERIALIZED (
    SELECT due.delivery_id, i.account_id, i.disabled_reason
    FROM integrations i
    CROSS JOIN LATERAL (
      SELECT q.delivery_id FROM delivery_queue q
      WHERE q.integration_id = i.id AND NOT q.test AND (q.lease_token IS NULL OR q.due_at <= $1)
      LIMIT ${chunk} FOR UPDATE OF q SKIP LOCKED
    ) due
    WHERE i.disabled_at IS NOT NULL
    LIMIT ${chunk}
  ), given_up AS (
    DELETE FROM delivery_queue WHERE delivery_id = ANY (ARRAY(SELECT delivery_id FROM lost))
    RETURNING delivery_id, integration_id, created_at
  ), noted AS (
    INSERT INTO dead_deliveries (delivery_id, integration_id, created_at)
    SELECT delivery_id, integration_id, created_at FROM given_up ON CONFLICT DO NOTHING
  )
  UPDATE delivery_log d SET status = 'dead', reason = replace($2, '{cause}', lost.disabled_reason), finished_at = $1
  FROM given_up JOIN lost USING (delivery_id)
  WHERE d.id = delivery_id
  RETURNING lost.account_id AS "accountId", d.id AS "deliveryId", d.integration_id AS "integrationId",
    d.event_type AS "eventType", d.call_id AS "callId", d.status, d.reason, d.test, d.finished_at AS at`;

/** With its place for the cause, which the statement fills in. */
const sentence = writeReason('DISABLED_MEANWHILE');

/**
 * Works in chunks, each a short transaction of its own, so that the results of other receivers do not wait for a long backlog. `tell`
 * is called in the transaction.
 */
export async function giveUpForDisabled(
  database: Database,
  now: Date,
  signal: AbortSignal,
  tell: (tx: Transaction, dead: ToldDelivery[]) => Promise<void>,
): Promise<void> {
  let given = chunk;
  while (given === chunk && !signal.aborted) {
    given = await database.transaction(async (tx) => {
      const dead = await tx.query<ToldDelivery>(statement, [now, sentence]);
      await tell(tx, dead);
      return dead.length;
    });
  }
}

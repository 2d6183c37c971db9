import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { writeReason } from '../domain/reason';
import type { ToldDelivery } from '../domain/told-delivery';

const chunk = 1_000;

/*
 * Deliveries that wait for a disabled webhook become dead; they can be replayed. Those being sent keep their lease and may still be
 * delivered. Tests are sent to a disabled webhook, too.
 */
const statement = `
  WITH lost AS (
    SELECT due.id, i.account_id, i.disabled_reason
    FROM integrations i
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE d.integration_id = i.id AND d.finished_at IS NULL AND NOT d.test
      LIMIT ${chunk} FOR UPDATE OF d SKIP LOCKED
    ) due
    WHERE i.disabled_at IS NOT NULL
    LIMIT ${chunk}
  )
  UPDATE deliveries d
  SET status = 'dead', reason = replace($2, '{cause}', lost.disabled_reason), due_at = NULL, finished_at = $1
  FROM lost WHERE d.id = lost.id
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

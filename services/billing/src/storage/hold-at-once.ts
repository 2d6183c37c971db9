import type { Queryable } from '@sabia/service-kit/postgres/database';
import { plentyForAll } from '../domain/credit';
import { toDecimal } from '../domain/money';
import type { Money } from '../domain/money';
import { explainMissingMonth } from './reservation-months';
import type { NewReservation } from './reservations';

export interface HoldAtOnce extends NewReservation {
  /** The credit from which a call gets all that it requests. */
  plenty: Money;
}

/**
 * Handles the usual case in one statement: new calls of one account get all that they request if there is plenty of credit for
 * each of them; returns whether they did. A known call violates the primary key, and then nothing has changed either.
 */
export async function holdAtOnce(db: Queryable, accountId: number, holds: readonly HoldAtOnce[]): Promise<boolean> {
  const amount = holds.reduce((sum, hold) => sum + hold.amount, 0);
  const written = db.query(
    `WITH held AS (
       UPDATE balances SET reserved = reserved + $2
       WHERE account_id = $1 AND balance - reserved >= $3
       RETURNING account_id
     )
     INSERT INTO reservations (call_id, account_id, destination, state, minute_price, minimum_seconds, increment_seconds,
                               amount, seconds, created_at, expires_at)
     SELECT n.call_id, held.account_id, n.destination, 'open', n.minute_price, n.minimum_seconds, n.increment_seconds,
            n.amount, n.seconds, n.created_at, n.expires_at
     FROM held, unnest($4::uuid[], $5::text[], $6::numeric[], $7::integer[], $8::integer[], $9::numeric[], $10::integer[],
                       $11::timestamptz[], $12::timestamptz[])
       AS n (call_id, destination, minute_price, minimum_seconds, increment_seconds, amount, seconds, created_at, expires_at)
     RETURNING 1 AS held`,
    [
      accountId,
      toDecimal(amount),
      toDecimal(plentyForAll(holds)),
      holds.map(({ callId }) => callId),
      holds.map(({ destination }) => destination),
      holds.map(({ minutePrice }) => toDecimal(minutePrice)),
      holds.map(({ minimumSeconds }) => minimumSeconds),
      holds.map(({ incrementSeconds }) => incrementSeconds),
      holds.map((hold) => toDecimal(hold.amount)),
      holds.map(({ seconds }) => seconds),
      holds.map(({ createdAt }) => createdAt),
      holds.map(({ expiresAt }) => expiresAt),
    ],
    { name: 'hold-at-once' },
  );
  return (await explainMissingMonth(written)).length > 0;
}

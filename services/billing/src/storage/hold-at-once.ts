import { anyValue } from '@sabia/service-kit/postgres/any-value';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { plentyForAll } from '../domain/credit';
import { toDecimal } from '../domain/money';
import type { Money } from '../domain/money';
import { explainMissingMonth } from './reservation-months';
import { insertValues } from './reservations';
import type { NewReservation } from './reservations';

export interface HoldAtOnce extends NewReservation {
  /** The credit from which a call gets all that it requests. */
  plenty: Money;
}

const insertHeld = `INSERT INTO reservations (call_id, account_id, destination, state, minute_price, minimum_seconds, increment_seconds,
                               amount, seconds, created_at, expires_at)
     SELECT n.call_id, held.account_id, n.destination, 'open', n.minute_price, n.minimum_seconds, n.increment_seconds,
            n.amount, n.seconds, n.created_at, n.expires_at
     FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::numeric[], $5::integer[], $6::integer[], $7::numeric[], $8::integer[],
                 $9::timestamptz[], $10::timestamptz[])
       AS n (call_id, account_id, destination, minute_price, minimum_seconds, increment_seconds, amount, seconds, created_at, expires_at)
     JOIN held ON held.account_id = n.account_id
     RETURNING account_id AS "accountId"`;

/** The values of all holds, column by column. */
function columnsOf(holds: readonly HoldAtOnce[]): unknown[][] {
  const rows = holds.map(insertValues);
  return rows[0]!.map((_, column) => rows.map((row) => row[column]));
}

const amountOf = (holds: readonly HoldAtOnce[]): string =>
  toDecimal(holds.reduce((sum, { amount }) => sum + amount, 0));

/**
 * Handles the usual case in one statement: new calls of one account get all that they request if there is plenty of credit for
 * each of them; returns whether they did. A known call violates the primary key, and then nothing has changed either.
 */
export async function holdAtOnce(db: Queryable, accountId: number, holds: readonly HoldAtOnce[]): Promise<boolean> {
  const written = db.query(
    `WITH held AS (
       UPDATE balances SET reserved = reserved + $12
       WHERE account_id = $11 AND balance - reserved >= $13
       RETURNING account_id
     )
     ${insertHeld}`,
    [...columnsOf(holds), accountId, amountOf(holds), toDecimal(plentyForAll(holds))],
    { name: 'hold-at-once' },
  );
  return (await explainMissingMonth(written)).length > 0;
}

/**
 * The same for calls of several accounts. Waits for none of them: calls of an account whose balance somebody else changes at this
 * moment get nothing either.
 */
export async function holdTogether(db: Queryable, holds: readonly HoldAtOnce[]): Promise<boolean[]> {
  const accounts = [...new Set(holds.map(({ accountId }) => accountId))];
  const byAccount = accounts.map((account) => holds.filter(({ accountId }) => accountId === account));
  const written = db.query<{ accountId: number }>(
    `WITH free AS MATERIALIZED (
       SELECT account_id FROM balances WHERE account_id = ANY (${anyValue('$11', 'bigint[]')}) ORDER BY account_id FOR UPDATE SKIP LOCKED
     ), held AS (
       UPDATE balances SET reserved = reserved + wanted.amount
       FROM free JOIN unnest(${anyValue('$11', 'bigint[]')}, $12::numeric[], $13::numeric[]) AS wanted (account_id, amount, plenty)
         ON wanted.account_id = free.account_id
       WHERE balances.account_id = free.account_id AND balances.account_id = ANY (${anyValue('$11', 'bigint[]')})
         AND balance - reserved >= wanted.plenty
       RETURNING balances.account_id
     )
     ${insertHeld}`,
    [...columnsOf(holds), accounts, byAccount.map(amountOf), byAccount.map((ofOne) => toDecimal(plentyForAll(ofOne)))],
    { name: 'hold-together' },
  );
  const held = new Set((await explainMissingMonth(written)).map(({ accountId }) => accountId));
  return holds.map(({ accountId }) => held.has(accountId));
}

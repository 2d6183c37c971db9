import { anyValue, hasAlso, isAmong } from '@sabia/service-kit/postgres/any-value';
import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import { monthsOf } from '@sabia/service-kit/postgres/partitions/months';
import type { Months } from '@sabia/service-kit/postgres/partitions/months';
import { fromDecimal, toDecimal } from '../domain/money';
import type { Reservation, ReservationState } from '../domain/reservation';
import { explainMissingMonth } from './reservation-months';

// Partitions by month of the calls' ids: whoever knows these names their months, and touches no others.

interface ReservationRow {
  call_id: string;
  account_id: number;
  destination: string;
  state: ReservationState;
  minute_price: string;
  minimum_seconds: number;
  increment_seconds: number;
  amount: string;
  seconds: number;
  price: string | null;
  billed_seconds: number | null;
}

const columns = `call_id, account_id, destination, state, minute_price, minimum_seconds, increment_seconds, amount, seconds,
  price, billed_seconds`;

export async function findReservations(tx: Queryable, callIds: string[]): Promise<Map<string, Reservation>> {
  const months = monthsOf(callIds);
  const rows = await tx.query<ReservationRow>(
    `SELECT ${columns} FROM reservations WHERE ${isAmong('call_id', '$1')} AND ${months.hold('call_id')}`,
    [callIds],
    { name: months.nameOf('find-reservations') },
  );
  return new Map(rows.map((row) => [row.call_id, toReservation(row)]));
}

/** A reservation with what happened to it. */
export interface ReservationRecord extends Reservation {
  /** Talking time, once settled. */
  durationSeconds?: number;
  createdAt: Date;
  closedAt?: Date;
}

export async function findRecord(
  db: Queryable,
  accountId: number,
  callId: string,
): Promise<ReservationRecord | undefined> {
  const months = monthsOf([callId]);
  const [row] = await db.query<
    ReservationRow & { duration_seconds: number | null; created_at: Date; closed_at: Date | null }
  >(
    `SELECT ${columns}, duration_seconds, created_at, closed_at FROM reservations
     WHERE call_id = $1 AND account_id = $2 AND ${months.hold('call_id')}`,
    [callId, accountId],
    { name: months.nameOf('find-reservation-record') },
  );
  return (
    row && {
      ...toReservation(row),
      durationSeconds: row.duration_seconds ?? undefined,
      createdAt: row.created_at,
      closedAt: row.closed_at ?? undefined,
    }
  );
}

/** Neither changes once the row is there, so this needs no lock; everything else is read under the account's. */
export async function accountsOfCalls(db: Queryable, callIds: string[]): Promise<Map<string, number>> {
  const months = monthsOf(callIds);
  const rows = await db.query<{ call_id: string; account_id: number }>(
    `SELECT call_id, account_id FROM reservations WHERE ${isAmong('call_id', '$1')} AND ${months.hold('call_id')}`,
    [callIds],
    { name: months.nameOf('find-accounts-of-calls') },
  );
  return new Map(rows.map(({ call_id, account_id }) => [call_id, account_id]));
}

export interface NewReservation extends Omit<Reservation, 'state' | 'price' | 'billedSeconds'> {
  createdAt: Date;
  expiresAt: Date;
}

/** Called under the account's lock; the caller saves the balance. */
export async function insertReservation(tx: Transaction, reservation: NewReservation): Promise<void> {
  await explainMissingMonth(
    tx.query(
      `INSERT INTO reservations (call_id, account_id, destination, state, minute_price, minimum_seconds, increment_seconds,
                                 amount, seconds, created_at, expires_at)
       VALUES ($1, $2, $3, 'open', $4, $5, $6, $7, $8, $9, $10)`,
      insertValues(reservation),
    ),
  );
}

export async function updateHolds(
  tx: Transaction,
  holds: readonly { callId: string; amount: number; seconds: number; expiresAt: Date }[],
): Promise<void> {
  const months = monthsOf(holds.map(({ callId }) => callId));
  await tx.query(
    `UPDATE reservations r SET amount = n.amount, seconds = n.seconds, expires_at = n.expires_at
     FROM unnest(${anyValue('$1', 'uuid[]')}, $2::numeric[], $3::integer[], $4::timestamptz[]) AS n (call_id, amount, seconds, expires_at)
     WHERE r.call_id = n.call_id AND ${isAmong('r.call_id', '$1')} AND ${months.hold('r.call_id')} AND r.state = 'open'`,
    [
      holds.map(({ callId }) => callId),
      holds.map(({ amount }) => toDecimal(amount)),
      holds.map(({ seconds }) => seconds),
      holds.map(({ expiresAt }) => expiresAt.toISOString()),
    ],
    { name: months.nameOf('update-holds') },
  );
}

export async function markReleased(tx: Transaction, callId: string, now: Date): Promise<void> {
  const months = monthsOf([callId]);
  await tx.query(
    `UPDATE reservations SET state = 'released', amount = 0, closed_at = $2
     WHERE call_id = $1 AND state = 'open' AND ${months.hold('call_id')}`,
    [callId, now],
    { name: months.nameOf('mark-released') },
  );
}

/** The calls of an account, of these months, whose holds have expired. */
export async function findExpired(tx: Transaction, accountId: number, months: Months, now: Date): Promise<string[]> {
  const rows = await tx.query<{ call_id: string }>(
    // Ordered by the account, so that PostgreSQL takes the index that begins with it: by call_id it might read the whole month.
    `SELECT call_id FROM reservations
     WHERE account_id = ANY (${anyValue('$1', 'bigint[]')}) AND state = 'open' AND expires_at <= $2 AND ${months.hold('call_id')}
     ORDER BY account_id`,
    [[accountId], now],
    { name: months.nameOf('find-expired') },
  );
  return rows.map(({ call_id }) => call_id);
}

/** Called under the lock of the account whose calls these are; returns the released amount. What has been extended since stays. */
export async function markExpired(tx: Transaction, callIds: string[], now: Date): Promise<number> {
  const months = monthsOf(callIds);
  const isLate = `${isAmong('call_id', '$1')} AND ${hasAlso('state', "'open'")} AND expires_at <= $2 AND ${months.hold('call_id')}`;
  const held = await tx.query<{ call_id: string; amount: string }>(
    `SELECT call_id, amount FROM reservations WHERE ${isLate}`,
    [callIds, now],
    { name: months.nameOf('amounts-of-expired') },
  );
  const amounts = new Map(held.map(({ call_id, amount }) => [call_id, fromDecimal(amount)]));
  const marked = await tx.query<{ call_id: string }>(
    `UPDATE reservations SET state = 'expired', amount = 0, closed_at = $2 WHERE ${isLate} RETURNING call_id`,
    [callIds, now],
    { name: months.nameOf('mark-expired') },
  );
  return marked.reduce((sum, { call_id }) => sum + amounts.get(call_id)!, 0);
}

/** Calls whose holds have expired, by account. */
export async function listExpired(db: Queryable, now: Date, limit: number): Promise<Map<number, string[]>> {
  const rows = await db.query<{ account_id: number; call_ids: string[] }>(
    `SELECT account_id, array_agg(call_id) AS call_ids FROM (
       SELECT account_id, call_id FROM reservations WHERE state = 'open' AND expires_at <= $1 ORDER BY expires_at LIMIT $2
     ) AS late GROUP BY account_id`,
    [now, limit],
    { name: 'list-expired' },
  );
  return new Map(rows.map(({ account_id, call_ids }) => [account_id, call_ids]));
}

/** The oldest first. There are as many as there are live calls, so they need no index of their own. */
export async function listOpen(
  db: Queryable,
  { from, until, limit }: { from: Date; until: Date; limit: number },
): Promise<{ callId: string; createdAt: Date }[]> {
  return db.query<{ callId: string; createdAt: Date }>(
    `SELECT call_id AS "callId", created_at AS "createdAt" FROM reservations
     WHERE state = 'open' AND created_at BETWEEN $1 AND $2 ORDER BY created_at LIMIT $3`,
    [from, until, limit],
    { name: 'list-open-reservations' },
  );
}

export interface SettledReservation extends Reservation {
  durationSeconds: number;
  price: number;
  billedSeconds: number;
  at: Date;
}

/** Closes the rows of calls that held credit and adds those of calls that did not. */
export async function saveSettled(tx: Transaction, settled: SettledReservation[]): Promise<void> {
  const written = tx.query(
    `INSERT INTO reservations AS r (call_id, account_id, destination, state, minute_price, minimum_seconds, increment_seconds,
                                    amount, seconds, duration_seconds, billed_seconds, price, created_at, expires_at, closed_at)
     SELECT s.call_id, s.account_id, s.destination, 'settled', s.minute_price, s.minimum_seconds, s.increment_seconds,
            0, s.seconds, s.duration_seconds, s.billed_seconds, s.price, s.at, s.at, s.at
     FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::numeric[], $5::integer[], $6::integer[], $7::integer[],
                 $8::integer[], $9::integer[], $10::numeric[], $11::timestamptz[])
       AS s (call_id, account_id, destination, minute_price, minimum_seconds, increment_seconds, seconds, duration_seconds,
             billed_seconds, price, at)
     ON CONFLICT (call_id) DO UPDATE
     SET state = 'settled', amount = 0, duration_seconds = excluded.duration_seconds,
         billed_seconds = excluded.billed_seconds, price = excluded.price, closed_at = excluded.closed_at
     WHERE r.state <> 'settled'`,
    [
      settled.map(({ callId }) => callId),
      settled.map(({ accountId }) => accountId),
      settled.map(({ destination }) => destination),
      settled.map(({ minutePrice }) => toDecimal(minutePrice)),
      settled.map(({ minimumSeconds }) => minimumSeconds),
      settled.map(({ incrementSeconds }) => incrementSeconds),
      settled.map(({ seconds }) => seconds),
      settled.map(({ durationSeconds }) => durationSeconds),
      settled.map(({ billedSeconds }) => billedSeconds),
      settled.map(({ price }) => toDecimal(price)),
      settled.map(({ at }) => at.toISOString()),
    ],
    { name: 'save-settled' },
  );
  await explainMissingMonth(written);
}

/** In the order of the columns that a new reservation has values for. */
export function insertValues(reservation: NewReservation): unknown[] {
  return [
    reservation.callId,
    reservation.accountId,
    reservation.destination,
    toDecimal(reservation.minutePrice),
    reservation.minimumSeconds,
    reservation.incrementSeconds,
    toDecimal(reservation.amount),
    reservation.seconds,
    reservation.createdAt,
    reservation.expiresAt,
  ];
}

function toReservation(row: ReservationRow): Reservation {
  return {
    callId: row.call_id,
    accountId: row.account_id,
    destination: row.destination,
    state: row.state,
    minutePrice: fromDecimal(row.minute_price),
    minimumSeconds: row.minimum_seconds,
    incrementSeconds: row.increment_seconds,
    amount: fromDecimal(row.amount),
    seconds: row.seconds,
    price: row.price === null ? undefined : fromDecimal(row.price),
    billedSeconds: row.billed_seconds ?? undefined,
  };
}

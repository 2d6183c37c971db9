import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { recentMonths } from '@sabia/service-kit/postgres/partitions/months';
import { grantTime, newWarnings } from '../domain/credit';
import type { CreditWarning, Grant } from '../domain/credit';
import type { Money } from '../domain/money';
import { expiryOf } from '../domain/reservation';
import type { Reservation } from '../domain/reservation';
import type { Tariff } from '../domain/tariff';
import { lockBalance, saveBalances } from './balances';
import type { Balance } from './balances';
import {
  accountsOfCalls,
  findExpired,
  findReservations,
  insertReservation,
  listExpired,
  markExpired,
  markReleased,
} from './reservations';

export interface HoldRequest {
  callId: string;
  accountId: number;
  destination: string;
  tariff: Tariff;
  seconds: number;
}

export interface HoldPolicy {
  /** How long after the time it pays for an unclaimed hold is released. */
  graceSeconds: number;
}

export type HoldOutcome =
  /** Credit is held, now or by an earlier request for the same call. */
  | { kind: 'held'; reservation: Reservation; exhausted: boolean; warnings: CreditWarning[] }
  /** The credit does not cover the first step. */
  | { kind: 'refused'; balance: Money; warnings: CreditWarning[] }
  /** The call has ended. */
  | { kind: 'closed'; warnings: [] };

/** Handles the cases that holdAtOnce does not: a known call, scarce credit, or none. */
export async function holdWithCare(
  tx: Transaction,
  request: HoldRequest,
  policy: HoldPolicy,
  now: Date,
): Promise<HoldOutcome> {
  let balance = await lockBalance(tx, request.accountId);
  const known = (await findReservations(tx, [request.callId])).get(request.callId);
  if (known !== undefined) {
    // A repeated request gets the same hold; only whether there would be more is computed anew.
    const { exhausted } = grantTime(known, balance, known, request.seconds);
    return known.state === 'open'
      ? { kind: 'held', reservation: known, exhausted, warnings: [] }
      : { kind: 'closed', warnings: [] };
  }
  const grantOf = (credit: Balance) => grantTime(request.tariff, credit, { amount: 0, seconds: 0 }, request.seconds);
  let grant = grantOf(balance);
  if (grant.seconds < request.seconds && balance.reserved > 0) {
    // A hold that has run out must not block a call just because it has not been swept yet. All but the longest calls began in the
    // last month or this one; expireHolds looks after the others.
    const expired = await findExpired(tx, request.accountId, recentMonths(now), now);
    balance = await returnExpired(tx, balance, expired, now);
    grant = grantOf(balance);
  }
  const warnings = await saveGrant(tx, balance, grant);
  if (grant.seconds === 0) {
    return { kind: 'refused', balance: balance.balance, warnings };
  }
  const { callId, accountId, destination, tariff } = request;
  const reservation: Reservation = {
    callId,
    accountId,
    destination,
    state: 'open',
    amount: grant.amount,
    seconds: grant.seconds,
    ...tariff,
  };
  const expiresAt = expiryOf(now, grant.seconds, policy.graceSeconds);
  await insertReservation(tx, { createdAt: now, expiresAt, ...reservation });
  return { kind: 'held', reservation, exhausted: grant.exhausted, warnings };
}

/** Releases the hold of a call; does nothing for an ended or unknown call. Answers the account whose credit has changed. */
export async function releaseHold(tx: Transaction, callId: string, now: Date): Promise<number | undefined> {
  const accountId = (await accountsOfCalls(tx, [callId])).get(callId);
  if (accountId === undefined) {
    return undefined;
  }
  const balance = await lockBalance(tx, accountId);
  const reservation = (await findReservations(tx, [callId])).get(callId)!;
  if (reservation.state !== 'open') {
    return undefined;
  }
  await markReleased(tx, callId, now);
  await saveBalances(tx, [{ ...balance, reserved: balance.reserved - reservation.amount }]);
  return accountId;
}

const expireChunk = 500;

/** Returns the credit of unclaimed holds; any number of replicas may do this at once. */
export async function expireHolds(
  database: Database,
  now: Date,
  onReturned: (accountId: number) => void = () => undefined,
): Promise<number> {
  const expired = await listExpired(database, now, expireChunk);
  for (const [accountId, callIds] of expired) {
    await database.transaction(async (tx) => returnExpired(tx, await lockBalance(tx, accountId), callIds, now));
    onReturned(accountId);
  }
  return expired.size;
}

async function returnExpired(tx: Transaction, balance: Balance, callIds: string[], now: Date): Promise<Balance> {
  const returned = callIds.length === 0 ? 0 : await markExpired(tx, callIds, now);
  if (returned === 0) {
    return balance;
  }
  const freed = { ...balance, reserved: balance.reserved - returned };
  await saveBalances(tx, [freed]);
  return freed;
}

async function saveGrant(tx: Transaction, balance: Balance, grant: Grant): Promise<CreditWarning[]> {
  const after: Balance = {
    ...balance,
    reserved: balance.reserved + grant.amount,
    exhausted: balance.exhausted || grant.exhausted,
  };
  if (after.reserved !== balance.reserved || after.exhausted !== balance.exhausted) {
    await saveBalances(tx, [after]);
  }
  return newWarnings(balance.accountId, balance.balance, balance, after);
}

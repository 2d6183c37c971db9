import type { Transaction } from '@sabia/service-kit/postgres/database';
import { grantTime, newWarnings } from '../domain/credit';
import type { CreditWarning } from '../domain/credit';
import { expiryOf } from '../domain/reservation';
import type { Reservation } from '../domain/reservation';
import { saveBalances } from './balances';
import type { lockBalances } from './balances';
import type { HoldPolicy } from './hold-credit';
import { accountsOfCalls, findReservations, updateHolds } from './reservations';

export interface ExtendRequest {
  callId: string;
  /** Talking time in all. */
  seconds: number;
}

export type ExtendOutcome =
  | { kind: 'held'; reservation: Reservation; exhausted: boolean }
  /** The call has ended. */
  | { kind: 'closed' }
  | { kind: 'unknown' }
  /** `lock` did not get the account. */
  | { kind: 'busy'; accountId: number };

export interface ExtendOptions {
  policy: HoldPolicy;
  now: Date;
  /** lockBalances waits for accounts that somebody else has locked, lockFreeBalances leaves them out. */
  lock: typeof lockBalances;
}

/**
 * As much of the requested talking time as the credit covers; never less than a call has. A handful of statements for any number of
 * calls, under the locks of their accounts.
 */
export async function extendHolds(
  tx: Transaction,
  requests: readonly ExtendRequest[],
  { policy, now, lock }: ExtendOptions,
): Promise<{ outcomes: ExtendOutcome[]; warnings: CreditWarning[] }> {
  const callIds = [...new Set(requests.map(({ callId }) => callId))];
  const accounts = await accountsOfCalls(tx, callIds);
  if (accounts.size === 0) {
    return { outcomes: requests.map(() => ({ kind: 'unknown' })), warnings: [] };
  }
  const before = await lock(tx, [...accounts.values()]);
  const reservations = await findReservations(tx, [...accounts.keys()]);
  const books = new Map([...before].map(([accountId, balance]) => [accountId, { ...balance }]));
  const held = new Map<string, Reservation>();

  const outcomes = requests.map(({ callId, seconds }): ExtendOutcome => {
    const reservation = held.get(callId) ?? reservations.get(callId);
    if (reservation === undefined) {
      return { kind: 'unknown' };
    }
    const book = books.get(reservation.accountId);
    if (book === undefined) {
      return { kind: 'busy', accountId: reservation.accountId };
    }
    if (reservation.state !== 'open') {
      return { kind: 'closed' };
    }
    const grant = grantTime(reservation, book, reservation, seconds);
    book.reserved += grant.amount - reservation.amount;
    book.exhausted ||= grant.exhausted;
    const extended = { ...reservation, amount: grant.amount, seconds: grant.seconds };
    held.set(callId, extended);
    return { kind: 'held', reservation: extended, exhausted: grant.exhausted };
  });

  const changed = [...books.values()].filter(({ accountId, reserved, exhausted }) => {
    const was = before.get(accountId)!;
    return reserved !== was.reserved || exhausted !== was.exhausted;
  });
  if (changed.length > 0) {
    await saveBalances(tx, changed);
  }
  if (held.size > 0) {
    // Also where nothing was added: the request proves that the call is alive, and its hold must not expire.
    const holds = [...held.values()];
    await updateHolds(
      tx,
      holds.map((hold) => ({ expiresAt: expiryOf(now, hold.seconds, policy.graceSeconds), ...hold })),
    );
  }
  const warnings = changed.flatMap((after) =>
    newWarnings(after.accountId, after.balance, before.get(after.accountId)!, after),
  );
  return { outcomes, warnings };
}

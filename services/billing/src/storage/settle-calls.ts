import type { Transaction } from '@sabia/service-kit/postgres/database';
import { newWarnings, settle, warningsAt } from '../domain/credit';
import type { CreditWarning } from '../domain/credit';
import type { Money } from '../domain/money';
import type { EndedCall, RatedCall, Reservation } from '../domain/reservation';
import { lockBalances, saveBalances } from './balances';
import type { Balance } from './balances';
import { writeMovements } from './ledger';
import type { Movement } from './ledger';
import { findReservations, saveSettled } from './reservations';
import type { SettledReservation } from './reservations';
import { callDescription } from './statement';

export interface SettledCalls {
  /** Calls that were not settled before. */
  rated: RatedCall[];
  warnings: CreditWarning[];
  /** Calls that outlasted their reservation or the remaining credit. */
  unpaid: UnpaidCall[];
}

export interface UnpaidCall {
  callId: string;
  durationSeconds: number;
  reservedSeconds: number;
  billedSeconds: number;
  /** The price of the unbilled rest. */
  uncollected: Money;
}

/**
 * Returns what the calls held, takes what they cost and closes them, each once, however often it is asked for: a handful of
 * statements for any number of calls, under the locks of their accounts.
 */
export async function settleCalls(tx: Transaction, calls: EndedCall[], lowThreshold: Money): Promise<SettledCalls> {
  const before = await lockBalances(
    tx,
    calls.map(({ accountId }) => accountId),
  );
  const reservations = await findReservations(
    tx,
    calls.map(({ callId }) => callId),
  );
  const books = new Map([...before].map(([accountId, balance]) => [accountId, { ...balance }]));
  const settled: SettledReservation[] = [];
  const movements: Movement[] = [];
  const unpaid: UnpaidCall[] = [];

  for (const call of calls) {
    const reservation = reservations.get(call.callId) ?? unreserved(call);
    if (reservation.accountId !== call.accountId) {
      throw new Error(`call ${call.callId} holds the credit of another account than it ended in`);
    }
    if (reservation.state === 'settled') {
      continue;
    }
    const book = books.get(call.accountId)!;
    const settlement = settle(reservation, book, reservation, call.durationSeconds);
    Object.assign(book, settlement.credit, { movements: book.movements + (settlement.price > 0 ? 1 : 0) });
    if (settlement.uncollected > 0) {
      const { callId, durationSeconds } = call;
      const { billedSeconds, uncollected } = settlement;
      unpaid.push({ callId, durationSeconds, reservedSeconds: reservation.seconds, billedSeconds, uncollected });
    }
    if (settlement.price > 0) {
      movements.push(callMovement(call, settlement.price, book));
    }
    const closed: SettledReservation = {
      durationSeconds: call.durationSeconds,
      at: call.at,
      ...reservation,
      state: 'settled',
      amount: 0,
      price: settlement.price,
      billedSeconds: settlement.billedSeconds,
    };
    settled.push(closed);
    reservations.set(call.callId, closed);
  }
  if (settled.length === 0) {
    return { rated: [], warnings: [], unpaid };
  }

  const warnings: CreditWarning[] = [];
  for (const [accountId, book] of books) {
    const was = before.get(accountId)!;
    if (book.balance !== was.balance) {
      Object.assign(book, warningsAt(book.balance, lowThreshold, was, false));
      warnings.push(...newWarnings(accountId, book.balance, was, book));
    }
  }
  await saveBalances(tx, [...books.values()]);
  await writeMovements(tx, movements);
  await saveSettled(tx, settled);
  return { rated: settled.map(toRated), warnings, unpaid };
}

function unreserved(call: EndedCall): Reservation {
  const { callId, accountId, destination } = call;
  const { minutePrice, minimumSeconds, incrementSeconds } = call.tariff;
  return {
    callId,
    accountId,
    destination,
    state: 'open',
    amount: 0,
    seconds: 0,
    minutePrice,
    minimumSeconds,
    incrementSeconds,
  };
}

function callMovement(call: EndedCall, price: Money, book: Balance): Movement {
  return {
    accountId: call.accountId,
    kind: 'call',
    reference: call.callId,
    description: `${callDescription}${call.destination}`,
    callId: call.callId,
    at: call.at,
    amount: -price,
    balance: book.balance,
    against: [{ book: 'calls', amount: price }],
  };
}

const toRated = ({ callId, accountId, minutePrice, price, billedSeconds }: SettledReservation): RatedCall => ({
  callId,
  accountId,
  minutePrice,
  price,
  billedSeconds,
});

import type { Transaction } from '@sabia/service-kit/postgres/database';
import { newWarnings, warningsAt } from '../domain/credit';
import type { CreditWarning } from '../domain/credit';
import type { Money } from '../domain/money';
import { saveBalances } from './balances';
import type { Balance } from './balances';
import { isBooked, writeMovements } from './ledger';
import type { Movement } from './ledger';

export type CreditMove = Omit<Movement, 'balance'>;

export interface MovedCredit {
  /** False if it was already booked and nothing has changed. */
  booked: boolean;
  balance: Money;
  after: Balance;
  warnings: CreditWarning[];
}

/** Books one movement of an account whose lock is held, at most once per reference. */
export async function moveCredit(
  tx: Transaction,
  locked: Balance,
  move: CreditMove,
  lowThreshold: Money,
): Promise<MovedCredit> {
  if (await isBooked(tx, move)) {
    return { booked: false, balance: locked.balance, after: locked, warnings: [] };
  }
  const balance = locked.balance + move.amount;
  const after: Balance = {
    ...locked,
    balance,
    movements: locked.movements + (move.amount === 0 ? 0 : 1),
    ...warningsAt(balance, lowThreshold, locked, move.amount > 0),
  };
  await saveBalances(tx, [after]);
  await writeMovements(tx, [{ ...move, balance }]);
  return { booked: true, balance, after, warnings: newWarnings(locked.accountId, balance, locked, after) };
}

import { invalid } from '@sabia/service-kit/errors';
import type { Violation } from '@sabia/service-kit/errors';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { unitsPerReal } from '../domain/money';
import type { Money } from '../domain/money';
import { lockBalance } from '../storage/balances';
import { moveCredit } from '../storage/move-credit';
import type { Dependencies } from './dependencies';

const largestGrant = 100_000 * unitsPerReal;
const longestText = 200;

export interface Grant {
  accountId: number;
  amount: Money;
  /** One grant per account and reference. */
  reference: string;
  description: string;
}

/** Throws with `further` violations, too. */
export function checkGrant({ amount, description }: Pick<Grant, 'amount' | 'description'>, further: Violation[]): void {
  const violations = [...further];
  if (amount <= 0 || amount > largestGrant) {
    violations.push({ field: 'amount', code: 'range', message: 'must be greater than 0 and at most 100000.00' });
  }
  if (description.length > longestText || description.includes('\0')) {
    const message = `must not be longer than ${longestText} characters`;
    violations.push({ field: 'description', code: 'format', message });
  }
  if (violations.length > 0) {
    throw invalid('grant', violations);
  }
}

/** Returns the balance afterwards. */
export async function bookGrant(
  tx: Transaction,
  { accountId, amount, reference, description }: Grant,
  { lowThreshold, tellBalance, now }: Pick<Dependencies, 'lowThreshold' | 'tellBalance' | 'now'>,
): Promise<Money> {
  const move = {
    ...{ accountId, kind: 'grant' as const, reference, description, at: now(), amount },
    against: [{ book: 'grants' as const, amount: -amount }],
  };
  const { balance } = await moveCredit(tx, await lockBalance(tx, accountId), move, lowThreshold);
  tx.afterCommit(() => tellBalance(accountId));
  return balance;
}

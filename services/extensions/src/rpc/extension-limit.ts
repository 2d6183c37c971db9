import { unprocessable } from '@sabia/service-kit/errors';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { countExtensions, findLimit, lockNumbers } from '../storage/account-limits';

/** Extensions that were there before the limit stay, however many they are. */
export async function refuseBeyondLimit(tx: Transaction, accountId: number, added: number): Promise<void> {
  const limit = await findLimit(tx, accountId);
  if (limit === undefined) {
    return;
  }
  await lockNumbers(tx, accountId);
  if ((await countExtensions(tx, accountId)) + added > limit) {
    throw unprocessable('TOO_MANY_EXTENSIONS', `The account may have at most ${limit} extensions.`);
  }
}

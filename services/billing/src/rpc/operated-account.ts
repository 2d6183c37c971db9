import { invalid, notFound } from '@sabia/service-kit/errors';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { isAccountKnown } from '../storage/account-profiles';
import { findDeckId } from '../storage/rate-decks';

/** For rpcs of operators about one account: the caller is an operator, and the account exists. */
export async function requireOperatedAccount(db: Queryable, context: RpcContext, accountId: number): Promise<void> {
  requireOperator(context);
  if (!(await isAccountKnown(db, accountId))) {
    throw notFound('account', accountId);
  }
}

export async function requireDeck(db: Queryable, name: string): Promise<number> {
  const id = await findDeckId(db, name);
  if (id === undefined) {
    throw notFound('rate-deck', name);
  }
  return id;
}

export function checkDeckName(name: string): void {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
    const message = 'must be 1 to 64 letters, digits, dots, dashes and underscores';
    throw invalid('rate-deck', [{ field: 'deck', code: 'format', message }]);
  }
}

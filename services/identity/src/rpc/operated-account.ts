import { OperatedAccount } from '@sabia/protos/sabia/identity/v1/operator';
import { notFound } from '@sabia/service-kit/errors';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { withoutNulls } from '@sabia/service-kit/postgres/without-nulls';
import { findOperatedAccount } from '../storage/operated-accounts';
import type { OperatedAccount as StoredAccount } from '../storage/operated-accounts';

export const toOperatedAccountMessage = (account: StoredAccount): OperatedAccount =>
  OperatedAccount.fromPartial({ ...withoutNulls(account), limits: withoutNulls(account.limits) });

export async function requireAccount(db: Queryable, id: number): Promise<StoredAccount> {
  const account = await findOperatedAccount(db, id);
  if (account === undefined) {
    throw notFound('account', id);
  }
  return account;
}

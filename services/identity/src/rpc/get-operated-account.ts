import { GetOperatedAccountResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import type { Dependencies, Handler } from './dependencies';
import { requireAccount, toOperatedAccountMessage } from './operated-account';

export function getOperatedAccount({ database }: Dependencies): Handler<'getOperatedAccount'> {
  return async ({ accountId }, context) => {
    requireOperator(context);
    const account = await requireAccount(database, accountId);
    return GetOperatedAccountResponse.fromPartial({ account: toOperatedAccountMessage(account) });
  };
}

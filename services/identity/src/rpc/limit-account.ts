import { LimitAccountResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { checkLimits } from '../domain/account-limits';
import { accountLimited } from '../events/published';
import { limitAccount as limit } from '../storage/operated-accounts';
import type { Dependencies, Handler } from './dependencies';
import { requireAccount, toOperatedAccountMessage } from './operated-account';

export function limitAccount({ database, outbox }: Dependencies): Handler<'limitAccount'> {
  return async (request, context) => {
    requireOperator(context);
    const limits = checkLimits(request);
    const account = await database.transaction(async (tx) => {
      const limited = await limit(tx, request.accountId, limits);
      if (limited === undefined) {
        return requireAccount(tx, request.accountId);
      }
      await outbox.write(tx, [accountLimited(limited)]);
      return limited;
    });
    return LimitAccountResponse.fromPartial({ account: toOperatedAccountMessage(account) });
  };
}

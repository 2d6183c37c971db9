import { GetAccountResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findAccount } from '../storage/accounts';
import type { Dependencies, Handler } from './dependencies';
import { toAccountMessage } from './messages';

export function getAccount({ database, signUpRules }: Dependencies): Handler<'getAccount'> {
  return async (_request, context) => {
    const caller = requireCaller(context);
    const account = await findAccount(database, caller.accountId);
    if (account === undefined) {
      throw notFound('account', caller.accountUuid);
    }
    return GetAccountResponse.fromPartial({ account: toAccountMessage(account, signUpRules.phoneCountry) });
  };
}

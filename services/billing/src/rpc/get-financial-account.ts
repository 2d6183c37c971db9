import { GetFinancialAccountResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findFinancialAccount } from '../storage/financial-accounts';
import type { Dependencies, Handler } from './dependencies';
import { toFinancialAccountMessage } from './messages';

export function getFinancialAccount({ database }: Dependencies): Handler<'getFinancialAccount'> {
  return async (_request, context) => {
    const { accountId } = requireCaller(context);
    const account = await findFinancialAccount(database, accountId);
    if (account === undefined) {
      throw notFound('financialAccount', accountId);
    }
    return GetFinancialAccountResponse.fromPartial({ account: toFinancialAccountMessage(account) });
  };
}

import { GetBalanceResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { availableOf } from '../domain/credit';
import { readBalance } from '../storage/balances';
import type { Dependencies, Handler } from './dependencies';
import { currency } from './messages';

export function getBalance({ database }: Dependencies): Handler<'getBalance'> {
  return async (_request, context) => {
    const credit = await readBalance(database, requireCaller(context).accountId);
    const { balance, reserved } = credit;
    return GetBalanceResponse.fromPartial({ balance, reserved, available: availableOf(credit), currency });
  };
}

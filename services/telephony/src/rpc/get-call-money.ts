import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findCall } from '../storage/calls';
import type { Dependencies, Handler } from './dependencies';

/** Billing keeps the money; whether there is such a call, and under which id, is known here. */
export function getCallMoney({ database, billing }: Dependencies): Handler<'getCallMoney'> {
  return async ({ id }, context) => {
    const call = await findCall(database, requireCaller(context).accountId, id);
    if (call === undefined) {
      throw notFound('call', id);
    }
    return { money: await billing.moneyOf(call.id) };
  };
}

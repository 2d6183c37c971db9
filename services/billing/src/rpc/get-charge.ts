import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findCharge } from '../storage/charges';
import type { Dependencies, Handler } from './dependencies';
import { toChargeMessage } from './messages';

export function getCharge({ database }: Dependencies): Handler<'getCharge'> {
  return async ({ id }, context) => {
    const { accountId } = requireCaller(context);
    const charge = /^\d{1,15}$/.test(id) ? await findCharge(database, accountId, Number(id)) : undefined;
    if (charge === undefined) {
      throw notFound('charge', id);
    }
    return { charge: toChargeMessage(charge) };
  };
}

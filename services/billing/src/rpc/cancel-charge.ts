import { CancelChargeResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { cancelCharge as cancel } from '../payments/cancel-charge';
import type { Dependencies, Handler } from './dependencies';
import { toChargeMessage } from './messages';

export function cancelCharge({ collection }: Dependencies): Handler<'cancelCharge'> {
  return async ({ id }, context) => {
    const { accountId } = requireCaller(context);
    if (!/^\d{1,15}$/.test(id)) {
      throw notFound('charge', id);
    }
    return CancelChargeResponse.fromPartial({
      charge: toChargeMessage(await cancel(collection, accountId, Number(id))),
    });
  };
}

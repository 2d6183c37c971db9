import { RefundAccountChargeResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { refundCharge } from '../payments/refund-charge';
import type { Dependencies, Handler } from './dependencies';
import { toChargeMessage } from './messages';

export function refundAccountCharge({ collection }: Dependencies): Handler<'refundAccountCharge'> {
  return async ({ accountId, chargeId }, context) => {
    requireOperator(context);
    const charge = await refundCharge(collection, accountId, chargeId);
    return RefundAccountChargeResponse.fromPartial({ charge: toChargeMessage(charge) });
  };
}

import { RefundChargeResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { refundCharge as refund } from '../payments/refund-charge';
import type { Dependencies, Handler } from './dependencies';
import { toChargeMessage } from './messages';

export function refundCharge({ collection }: Dependencies): Handler<'refundCharge'> {
  return async ({ accountId, chargeId }) =>
    RefundChargeResponse.fromPartial({ charge: toChargeMessage(await refund(collection, accountId, chargeId)) });
}

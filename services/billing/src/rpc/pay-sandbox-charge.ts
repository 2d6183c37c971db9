import { PaySandboxChargeResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { paySandboxCharge as pay } from '../payments/payment-page';
import type { Dependencies, Handler } from './dependencies';

export function paySandboxCharge({ collection }: Dependencies): Handler<'paySandboxCharge'> {
  return async (wanted) => PaySandboxChargeResponse.fromPartial({ html: await pay(collection, wanted) });
}

import { GetPaymentPageResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { showPaymentPage } from '../payments/payment-page';
import type { Dependencies, Handler } from './dependencies';

export function getPaymentPage({ collection }: Dependencies): Handler<'getPaymentPage'> {
  return async (wanted) => GetPaymentPageResponse.fromPartial({ html: await showPaymentPage(collection, wanted) });
}

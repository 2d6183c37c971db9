import { GetPaymentPageResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { showPaymentPage } from '../payments/payment-page';
import type { Dependencies, Handler } from './dependencies';

export function getPaymentPage({ collection }: Dependencies): Handler<'getPaymentPage'> {
  return async ({ token }) => GetPaymentPageResponse.fromPartial({ html: await showPaymentPage(collection, token) });
}

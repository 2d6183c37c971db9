import { HandlePaymentNotificationRequest } from '@sabia/protos/sabia/billing/v1/messages';
import type { Endpoint } from '../api';
import type { SendRpc } from '../clients/service-clients';
import { parseTemplate } from '../contract/http-rule';

const template = '/payments/asaas';

/** Where the payment provider reports. Billing checks its token and reads the body, which is therefore passed on as it came. */
export function createPaymentNotification(handlePaymentNotification: SendRpc): Endpoint {
  return {
    method: 'POST',
    segments: parseTemplate(template),
    template,
    model: 'payment',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async answer(exchange) {
      const token = exchange.request.headers['asaas-access-token'];
      const notification = HandlePaymentNotificationRequest.fromPartial({
        provider: 'asaas',
        token: typeof token === 'string' ? token : '',
        body: await exchange.bytes(),
      });
      const request = Buffer.from(HandlePaymentNotificationRequest.encode(notification).finish());
      // What was received is dealt with, whether the provider waits for the answer or not.
      await handlePaymentNotification(request, exchange.scope({ cancellable: false }));
      return { status: 200, body: '{"received":true}' };
    },
  };
}

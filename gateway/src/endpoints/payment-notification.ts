import { HandlePaymentNotificationRequest } from '@sabia/protos/sabia/billing/v1/messages';
import type { Endpoint } from './endpoint';
import type { SendRpc } from '../clients/service-clients';
import { parseTemplate } from '../contract/http-rule';

const template = '/payments/asaas';

/** The webhook of the payment provider. Billing checks its token and reads the body, which is passed on unchanged. */
export function createPaymentNotification(handlePaymentNotification: SendRpc): Endpoint {
  return {
    method: 'POST',
    segments: parseTemplate(template),
    template,
    model: 'payment',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async respond(exchange) {
      const token = exchange.request.headers['asaas-access-token'];
      const notification = HandlePaymentNotificationRequest.fromPartial({
        provider: 'asaas',
        token: typeof token === 'string' ? token : '',
        body: await exchange.bytes(),
      });
      const request = Buffer.from(HandlePaymentNotificationRequest.encode(notification).finish());
      // A received notification is handled even if the provider does not wait for the response.
      await handlePaymentNotification(request, exchange.scope({ cancellable: false }));
      return { status: 200, body: '{"received":true}' };
    },
  };
}

import { HandlePaymentNotificationResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { gateways } from '../domain/charge';
import type { GatewayName } from '../domain/charge';
import { applyNotification } from '../payments/notifications';
import type { Dependencies, Handler } from './dependencies';

export function handlePaymentNotification({ collection }: Dependencies): Handler<'handlePaymentNotification'> {
  return async ({ provider, token, body }) => {
    if (!isGateway(provider) || (provider === 'sandbox' && !collection.allowSandbox)) {
      throw notFound('payment gateway', provider);
    }
    const notification = collection.providers.of(provider).readNotification(token, body);
    if (notification !== undefined) {
      await applyNotification(collection, provider, notification);
    }
    return HandlePaymentNotificationResponse.fromPartial({});
  };
}

const isGateway = (name: string): name is GatewayName => (gateways as readonly string[]).includes(name);

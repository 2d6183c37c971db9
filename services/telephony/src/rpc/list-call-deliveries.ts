import { ListCallDeliveriesResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findCall } from '../storage/calls';
import type { Dependencies, Handler } from './dependencies';

/** Webhook has the deliveries; here a dial id stands for its call, and a call of another account is unknown. */
export function listCallDeliveries({ database, webhook }: Dependencies): Handler<'listCallDeliveries'> {
  return async ({ id }, context) => {
    const call = await findCall(database, requireCaller(context).accountId, id);
    if (call === undefined) {
      throw notFound('call', id);
    }
    const deliveries = await webhook.wholeDeliveriesOf(call.id);
    return ListCallDeliveriesResponse.fromPartial({
      deliveries: deliveries.flatMap(({ integrationId, gateway, url, delivery }) =>
        delivery === undefined ? [] : [{ ...delivery, integration: { id: integrationId, gateway, url } }],
      ),
    });
  };
}

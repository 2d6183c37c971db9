import { ListCallDeliveriesResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import type { Delivery } from '@sabia/protos/sabia/webhook/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listCallDeliveries as list } from '../storage/call-deliveries';
import type { Dependencies, Handler } from './dependencies';
import { toDeliveryMessage } from './messages';

/** For the timeline and the deliveries of a call. An unknown call has no deliveries. */
export function listCallDeliveries({ database }: Dependencies): Handler<'listCallDeliveries'> {
  return async ({ callId, whole }, context) => {
    const { accountId } = requireCaller(context);
    const deliveries = await list(database, { accountId, callId });
    return ListCallDeliveriesResponse.fromPartial({
      deliveries: deliveries.map(({ integrationId, gateway, url, ...delivery }) => ({
        integrationId,
        gateway,
        url: url ?? undefined,
        delivery: whole ? toDeliveryMessage(delivery) : withoutRequests(toDeliveryMessage(delivery)),
      })),
    });
  };
}

const withoutRequests = (delivery: Delivery): Delivery => ({
  ...delivery,
  payload: undefined,
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, requestHeaders: undefined })),
});

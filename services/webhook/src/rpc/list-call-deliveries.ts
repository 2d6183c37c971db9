import { ListCallDeliveriesResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listCallDeliveries as list } from '../storage/call-deliveries';
import type { Dependencies, Handler } from './dependencies';
import { toDeliveryMessage } from './messages';

/** For the timeline of a call. An unknown call has no deliveries. */
export function listCallDeliveries({ database }: Dependencies): Handler<'listCallDeliveries'> {
  return async ({ callId }, context) => {
    const { accountId } = requireCaller(context);
    const deliveries = await list(database, { accountId, callId });
    return ListCallDeliveriesResponse.fromPartial({
      deliveries: deliveries.map(({ integrationId, gateway, ...delivery }) => ({
        integrationId,
        gateway,
        delivery: { ...toDeliveryMessage(delivery), payload: undefined },
      })),
    });
  };
}

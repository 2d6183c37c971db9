import { ReplayDeliveryResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { notFound, unprocessable } from '@sabia/service-kit/errors';
import { isEventId } from '@sabia/service-kit/events/outbox';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { replayDelivery as replay } from '../storage/replay-deliveries';
import { findDeliveries } from '../storage/delivery-list';
import type { Dependencies, Handler } from './dependencies';
import { requireEnabled, requireIntegration, toDeliveryMessage } from './messages';

export function replayDelivery({ database, now, poke }: Dependencies): Handler<'replayDelivery'> {
  return async ({ id, deliveryId }, context) => {
    const { accountId } = requireCaller(context);
    const integration = await requireIntegration(database, accountId, id);
    const [found] = isEventId(deliveryId) ? await findDeliveries(database, id, [deliveryId]) : [];
    if (found === undefined) {
      throw notFound('delivery', deliveryId);
    }
    if (found.status === 'not-matched') {
      throw unprocessable('NOT_MATCHED', `This event was never to be sent: ${found.reason}`);
    }
    requireEnabled(integration);
    await replay(database, { integrationId: id, id: found.id }, now());
    // Its state at this moment; it may be sent a moment later.
    const [delivery] = await findDeliveries(database, id, [found.id]);
    poke();
    return ReplayDeliveryResponse.fromPartial({ delivery: toDeliveryMessage(delivery ?? found) });
  };
}

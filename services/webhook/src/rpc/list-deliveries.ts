import { ListDeliveriesResponse } from '@sabia/protos/sabia/webhook/v1/messages';
import { badRequest } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listDeliveries as list } from '../storage/delivery-list';
import type { Dependencies, Handler } from './dependencies';
import { requireIntegration, toDeliveryMessage } from './messages';

export function listDeliveries({ database }: Dependencies): Handler<'listDeliveries'> {
  return async ({ id, page = 1, filter }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    if (page < 1) {
      throw badRequest('INVALID_PAGE', 'The "page" parameter must be a positive integer.');
    }
    await requireIntegration(database, accountId, id);
    const { deliveries, meta } = await list(database, { integrationId: id, timeZone, filter, page });
    return ListDeliveriesResponse.fromPartial({ data: deliveries.map(toDeliveryMessage), meta });
  };
}

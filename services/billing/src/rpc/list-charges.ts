import { ListChargesResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { readPage } from '@sabia/service-kit/filter/page';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listCharges as list } from '../storage/charge-list';
import type { Dependencies, Handler } from './dependencies';
import { toChargeMessage } from './messages';

export function listCharges({ database }: Dependencies): Handler<'listCharges'> {
  return async ({ page, filter }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const { charges, meta } = await list(database, { accountId, timeZone, filter, page: readPage(page) });
    return ListChargesResponse.fromPartial({ data: charges.map(toChargeMessage), meta });
  };
}

import { ListAccountChargesResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { readPage } from '@sabia/service-kit/filter/page';
import { chargeTimeZone as timeZone } from '../domain/calendar';
import { listCharges } from '../storage/charge-list';
import type { Dependencies, Handler } from './dependencies';
import { toChargeMessage } from './messages';
import { requireOperatedAccount } from './operated-account';

export function listAccountCharges({ database }: Dependencies): Handler<'listAccountCharges'> {
  return async ({ accountId, page, filter }, context) => {
    await requireOperatedAccount(database, context, accountId);
    const { charges, meta } = await listCharges(database, { accountId, timeZone, filter, page: readPage(page) });
    return ListAccountChargesResponse.fromPartial({ data: charges.map(toChargeMessage), meta });
  };
}

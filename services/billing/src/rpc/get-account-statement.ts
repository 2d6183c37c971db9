import { GetAccountStatementResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { readPage } from '@sabia/service-kit/filter/page';
import { chargeTimeZone as timeZone } from '../domain/calendar';
import { readStatement } from '../storage/statement';
import type { Dependencies, Handler } from './dependencies';
import { requireOperatedAccount } from './operated-account';

export function getAccountStatement({ database }: Dependencies): Handler<'getAccountStatement'> {
  return async ({ accountId, page, filter }, context) => {
    await requireOperatedAccount(database, context, accountId);
    const list = { accountId, timeZone, filter, startDate: undefined, endDate: undefined, page: readPage(page) };
    const { entries, meta } = await readStatement(database, list);
    return GetAccountStatementResponse.fromPartial({ data: entries, meta });
  };
}

import { GetStatementResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { readPage } from '@sabia/service-kit/filter/page';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { readStatement } from '../storage/statement';
import type { Dependencies, Handler } from './dependencies';

export function getStatement({ database }: Dependencies): Handler<'getStatement'> {
  return async ({ page, filter, startDate, endDate }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const list = { accountId, timeZone, filter, startDate, endDate, page: readPage(page) };
    const { entries, meta } = await readStatement(database, list);
    return GetStatementResponse.fromPartial({ data: entries, meta });
  };
}

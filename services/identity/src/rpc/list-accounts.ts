import { ListAccountsResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { readPage } from '@sabia/service-kit/filter/page';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { listAccounts as list } from '../storage/operated-accounts';
import type { Dependencies, Handler } from './dependencies';
import { toOperatedAccountMessage } from './operated-account';

export function listAccounts({ database, timeZone }: Dependencies): Handler<'listAccounts'> {
  return async ({ page, filter, search = '' }, context) => {
    requireOperator(context);
    const { rows, meta } = await list(database, { filter, search: search.trim(), page: readPage(page), timeZone });
    return ListAccountsResponse.fromPartial({ data: rows.map(toOperatedAccountMessage), meta });
  };
}

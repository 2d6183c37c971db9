import { ListNumbersResponse } from '@sabia/protos/sabia/extensions/v1/operator';
import { readPage } from '@sabia/service-kit/filter/page';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { listNumbers as list } from '../storage/numbers';
import type { Dependencies, Handler } from './dependencies';
import { toNumberMessage } from './owned-number';

export function listNumbers({ database }: Dependencies): Handler<'listNumbers'> {
  return async ({ page, filter }, context) => {
    requireOperator(context);
    const { rows, meta } = await list(database, { filter, page: readPage(page) });
    return ListNumbersResponse.fromPartial({ data: rows.map(toNumberMessage), meta });
  };
}

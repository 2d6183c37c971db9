import { ListOperatorActsResponse, OperatorAct } from '@sabia/protos/sabia/identity/v1/operator';
import { readPage } from '@sabia/service-kit/filter/page';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { withoutNulls } from '@sabia/service-kit/postgres/without-nulls';
import { listActs } from '../storage/operator-acts';
import type { Dependencies, Handler } from './dependencies';

export function listOperatorActs({ database, timeZone }: Dependencies): Handler<'listOperatorActs'> {
  return async ({ page, filter }, context) => {
    requireOperator(context);
    const { rows, meta } = await listActs(database, { filter, page: readPage(page), timeZone });
    return ListOperatorActsResponse.fromPartial({
      data: rows.map((act) => OperatorAct.fromPartial(withoutNulls(act))),
      meta,
    });
  };
}

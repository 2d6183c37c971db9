import { ListOperatorsResponse, OperatorEntry } from '@sabia/protos/sabia/identity/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { withoutNulls } from '@sabia/service-kit/postgres/without-nulls';
import { listOperators as list } from '../storage/operators';
import type { Dependencies, Handler } from './dependencies';

export function listOperators({ database }: Dependencies): Handler<'listOperators'> {
  return async (_request, context) => {
    requireOperator(context);
    const operators = await list(database);
    return ListOperatorsResponse.fromPartial({
      operators: operators.map((operator) => OperatorEntry.fromPartial(withoutNulls(operator))),
    });
  };
}

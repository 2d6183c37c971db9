import { BeginOperatorActResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { insertAct } from '../storage/operator-acts';
import type { Dependencies, Handler } from './dependencies';

export function beginOperatorAct({ database, now }: Dependencies): Handler<'beginOperatorAct'> {
  return async ({ act, method, path, accountId, request }, context) => {
    const operator = requireOperator(context);
    const id = await insertAct(database, {
      at: now(),
      operatorUuid: operator.uuid,
      operatorName: operator.name,
      ...{ act, method, path, request },
      accountId: accountId === 0 ? null : accountId,
      clientIp: context.clientIp ?? '',
      requestId: context.requestId,
    });
    return BeginOperatorActResponse.fromPartial({ id });
  };
}

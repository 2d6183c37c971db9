import { EndOperatorActResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { insertOutcome } from '../storage/operator-acts';
import type { Dependencies, Handler } from './dependencies';

export function endOperatorAct({ database, now }: Dependencies): Handler<'endOperatorAct'> {
  return async ({ id, status, errorCode }, context) => {
    await insertOutcome(database, {
      actId: id,
      operatorUuid: requireOperator(context).uuid,
      status,
      errorCode: errorCode || null,
      endedAt: now(),
    });
    return EndOperatorActResponse.fromPartial({});
  };
}

import { CreateOperatorResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { invalid } from '@sabia/service-kit/errors';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { taken } from '@sabia/service-kit/validation/violations';
import { checkOperatorName, mintOperatorToken, storedTokenOf } from '../domain/operator';
import { insertOperator } from '../storage/operators';
import type { Dependencies, Handler } from './dependencies';

export function createOperator({ database, now }: Dependencies): Handler<'createOperator'> {
  return async (request, context) => {
    requireOperator(context);
    const name = checkOperatorName(request.name);
    const token = mintOperatorToken();
    const operator = await insertOperator(database, { name, token: storedTokenOf(token), now: now() });
    if (operator === undefined) {
      throw invalid('operator', [{ field: 'name', code: taken[0], message: taken[1] }]);
    }
    return CreateOperatorResponse.fromPartial({ uuid: operator.uuid, name: operator.name, token });
  };
}

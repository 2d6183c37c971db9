import { RevokeOperatorResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { conflict, notFound } from '@sabia/service-kit/errors';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { listOperators, revokeOperator as revoke } from '../storage/operators';
import type { Dependencies, Handler } from './dependencies';

export function revokeOperator({ database, now }: Dependencies): Handler<'revokeOperator'> {
  return async ({ uuid }, context) => {
    requireOperator(context);
    const operator = (await listOperators(database)).find((each) => each.uuid === uuid.toLowerCase());
    if (operator === undefined) {
      throw notFound('operator', uuid);
    }
    if (operator.configured) {
      throw conflict(
        'OPERATOR_IS_CONFIGURED',
        'The token of this operator is in the configuration of the deployment (OPERATOR_TOKEN): it ends when it is changed or removed there.',
      );
    }
    await revoke(database, operator.uuid, now());
    return RevokeOperatorResponse.fromPartial({});
  };
}

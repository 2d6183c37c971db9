import { AssignNumberResponse } from '@sabia/protos/sabia/extensions/v1/operator';
import { conflict, invalid } from '@sabia/service-kit/errors';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { checkAssignment } from '../domain/owned-number';
import { hasExtensions, saveNumber } from '../storage/numbers';
import type { Dependencies, Handler } from './dependencies';
import { readTitle, toNumberMessage } from './owned-number';

export function assignNumber({ database, phoneCountry, now }: Dependencies): Handler<'assignNumber'> {
  return async (request, context) => {
    const { name: operatorName } = requireOperator(context);
    const wanted = checkAssignment({ ...request, title: readTitle(request.title) }, phoneCountry);
    const saved = await database.transaction(async (tx) => {
      if (!(await hasExtensions(tx, wanted.accountId))) {
        const message = 'is not the number of an account with an extension';
        throw invalid('number', [{ field: 'accountId', code: 'inclusion', message }]);
      }
      return saveNumber(tx, { ...wanted, operatorName, since: now() });
    });
    if (saved === undefined) {
      throw conflict('NUMBER_TAKEN', 'This number belongs to another account. Release it first.');
    }
    return AssignNumberResponse.fromPartial({ number: toNumberMessage(saved) });
  };
}

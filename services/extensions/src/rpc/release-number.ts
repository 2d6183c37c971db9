import { ReleaseNumberResponse } from '@sabia/protos/sabia/extensions/v1/operator';
import { notFound } from '@sabia/service-kit/errors';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { readNumber } from '../domain/owned-number';
import { deleteNumber } from '../storage/numbers';
import type { Dependencies, Handler } from './dependencies';

export function releaseNumber({ database, phoneCountry }: Dependencies): Handler<'releaseNumber'> {
  return async ({ number }, context) => {
    requireOperator(context);
    if ((await deleteNumber(database, readNumber(number, phoneCountry))) === undefined) {
      throw notFound('number', number);
    }
    return ReleaseNumberResponse.fromPartial({});
  };
}

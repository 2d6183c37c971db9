import { ListNumberClaimsResponse } from '@sabia/protos/sabia/extensions/v1/operator';
import { readPage } from '@sabia/service-kit/filter/page';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { listClaims } from '../storage/numbers';
import type { Dependencies, Handler } from './dependencies';

export function listNumberClaims({ database }: Dependencies): Handler<'listNumberClaims'> {
  return async ({ page }, context) => {
    requireOperator(context);
    const { rows, meta } = await listClaims(database, readPage(page));
    return ListNumberClaimsResponse.fromPartial({ data: rows, meta });
  };
}

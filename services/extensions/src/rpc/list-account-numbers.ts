import { ListAccountNumbersResponse } from '@sabia/protos/sabia/extensions/v1/numbers';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listNumbersOf } from '../storage/numbers';
import type { Dependencies, Handler } from './dependencies';
import { toNumberMessage } from './owned-number';

export function listAccountNumbers({ database }: Dependencies): Handler<'listAccountNumbers'> {
  return async (_request, context) => {
    const owned = await listNumbersOf(database, requireCaller(context).accountId);
    const numbers = owned.map((each) => {
      const { number, title, since, extensions } = toNumberMessage(each);
      return { number, title, since, extensions };
    });
    return ListAccountNumbersResponse.fromPartial({ numbers });
  };
}

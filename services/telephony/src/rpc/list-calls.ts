import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listCalls as list } from '../storage/call-list';
import type { Dependencies, Handler } from './dependencies';
import { toMessage } from './messages';

export function listCalls({ database }: Dependencies): Handler<'listCalls'> {
  return async ({ page = 1, filter, startDate, endDate }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const { calls, meta } = await list(database, { accountId, timeZone, filter, startDate, endDate, page });
    return { data: calls.map(toMessage), meta };
  };
}

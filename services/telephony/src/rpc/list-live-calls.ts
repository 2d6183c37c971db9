import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listLiveOf } from '../storage/calls';
import type { Dependencies, Handler } from './dependencies';
import { toMessage } from './messages';

export function listLiveCalls({ database }: Dependencies): Handler<'listLiveCalls'> {
  return async (_request, context) => {
    const calls = await listLiveOf(database, requireCaller(context).accountId);
    return { calls: calls.map(toMessage) };
  };
}

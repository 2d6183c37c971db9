import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findCall } from '../storage/calls';
import type { Dependencies, Handler } from './dependencies';
import { toMessage } from './messages';

export function getLiveCall({ database }: Dependencies): Handler<'getLiveCall'> {
  return async ({ id }, context) => {
    const call = await findCall(database, requireCaller(context).accountId, id);
    if (call === undefined || call.status === 'ended') {
      throw notFound('channel', id);
    }
    return { call: toMessage(call) };
  };
}

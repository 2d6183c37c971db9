import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findCall } from '../storage/calls';
import type { Dependencies, Handler } from './dependencies';
import { toMessage } from './messages';

export function getCall({ database }: Dependencies): Handler<'getCall'> {
  return async ({ id }, context) => {
    const call = await findCall(database, requireCaller(context).accountId, id);
    if (call === undefined) {
      throw notFound('call', id);
    }
    return { call: toMessage(call) };
  };
}

import { GetMeResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { findUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { toUserMessage } from './messages';

export function getMe({ database }: Dependencies): Handler<'getMe'> {
  return async (_request, context) => {
    const caller = requireCaller(context);
    const user = await findUser(database, caller.accountId, { id: caller.userId });
    if (user === undefined) {
      throw notFound('user', caller.userUuid);
    }
    return GetMeResponse.fromPartial({ user: toUserMessage(user) });
  };
}

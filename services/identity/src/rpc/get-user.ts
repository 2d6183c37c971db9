import { GetUserResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { readUserReference } from '../domain/user';
import { findUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { toUserMessage } from './messages';

export function getUser({ database }: Dependencies): Handler<'getUser'> {
  return async (request, context) => {
    const caller = requireCaller(context);
    const reference = readUserReference(request.uuid);
    const user = reference && (await findUser(database, caller.accountId, reference));
    if (user === undefined) {
      throw notFound('user', request.uuid);
    }
    return GetUserResponse.fromPartial({ user: toUserMessage(user) });
  };
}

import { ListUsersResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { listUsers as list } from '../storage/user-list';
import type { Dependencies, Handler } from './dependencies';
import { toUserMessage } from './messages';

export function listUsers({ database }: Dependencies): Handler<'listUsers'> {
  return async ({ filter }, context) => {
    const { accountId, timeZone } = requireCaller(context);
    const users = await list(database, { accountId, timeZone, filter });
    return ListUsersResponse.fromPartial({ users: users.map(toUserMessage) });
  };
}

import { GetMeResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import { findUsers } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { toUserMessage } from './messages';

export function getMe({ database }: Dependencies): Handler<'getMe'> {
  // Whoever asks at the same time shares a statement.
  const users = createBatcher({
    batchSize: 64,
    patienceMs: 200,
    write: (asked: { accountId: number; id: number }[]) => findUsers(database, asked),
  });
  return async (_request, context) => {
    const caller = requireCaller(context);
    const user = await users.add({ accountId: caller.accountId, id: caller.userId });
    if (user === undefined) {
      throw notFound('user', caller.userUuid);
    }
    return GetMeResponse.fromPartial({ user: toUserMessage(user) });
  };
}

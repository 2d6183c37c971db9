import { LogoutResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { tokenRevoked } from '../events/published';
import { deleteToken } from '../storage/access-tokens';
import type { Dependencies, Handler } from './dependencies';

export function logout({ database, outbox, dropFromCaches }: Dependencies): Handler<'logout'> {
  return async (_request, context) => {
    const caller = requireCaller(context);
    await database.transaction(async (tx) => {
      if (await deleteToken(tx, caller.tokenHash)) {
        await outbox.write(tx, [tokenRevoked(caller, caller.tokenHash)]);
      }
    });
    await dropFromCaches(caller);
    return LogoutResponse.fromPartial({});
  };
}

import { DeleteUserResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { readUserReference, refuseLosingLastAdmin } from '../domain/user';
import { tokenRevoked, userDeleted } from '../events/published';
import { lockAccount } from '../storage/accounts';
import { countAdmins, deleteUser as remove, findUser, lockUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { requireAdmin } from './messages';

export function deleteUser({ database, outbox, dropFromCaches }: Dependencies): Handler<'deleteUser'> {
  return async (request, context) => {
    const caller = requireAdmin(context);
    const reference = readUserReference(request.uuid);
    const target = reference && (await findUser(database, caller.accountId, reference));
    if (target === undefined) {
      throw notFound('user', request.uuid);
    }
    await database.transaction(async (tx) => {
      await lockAccount(tx, target.accountId);
      const user = await lockUser(tx, target.id);
      if (user === undefined) {
        throw notFound('user', request.uuid);
      }
      refuseLosingLastAdmin(user, await countAdmins(tx, user.accountId));
      await remove(tx, user.id);
      await outbox.write(tx, [tokenRevoked({ accountId: user.accountId, userId: user.id }), userDeleted(user)]);
    });
    await dropFromCaches({ userId: target.id });
    return DeleteUserResponse.fromPartial({});
  };
}

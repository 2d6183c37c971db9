import { ChangePasswordResponse } from '@sabia/protos/sabia/identity/v1/messages';
import type { Dependencies, Handler } from './dependencies';
import { updateUser } from './update-user';

/** The change of the caller's own password that PATCH /users makes, too. */
export function changePassword(dependencies: Dependencies): Handler<'changePassword'> {
  const update = updateUser(dependencies);
  return async ({ password = '', currentPassword }, context) => {
    await update({ password, currentPassword }, context);
    return ChangePasswordResponse.fromPartial({});
  };
}

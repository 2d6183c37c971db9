import { ResetPasswordResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { lockUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { redeemLink } from './redeem-link';

export function resetPassword(dependencies: Dependencies): Handler<'resetPassword'> {
  return async (request, { signal }) => {
    await redeemLink(dependencies, {
      purpose: 'reset-password',
      request,
      signal,
      async lock(tx, { userId, email }) {
        const user = await lockUser(tx, userId);
        return user?.email === email ? user : undefined;
      },
    });
    return ResetPasswordResponse.fromPartial({});
  };
}

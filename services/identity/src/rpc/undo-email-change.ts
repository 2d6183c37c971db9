import { UndoEmailChangeResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { releaseFormerEmails } from '../storage/former-emails';
import { voidLaterUndoLinks, voidOneTimeTokens } from '../storage/one-time-tokens';
import { holdNames } from '../storage/uniqueness';
import { lockUser, updateUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { redeemLink } from './redeem-link';
import { namingTakenFields, refuseTaken } from './taken-names';

/**
 * Restores the address to which the link was sent. The user also chooses a new password, because the person who changed the address
 * may know the old one.
 */
export function undoEmailChange(dependencies: Dependencies): Handler<'undoEmailChange'> {
  return async (request, { signal }) => {
    const work = redeemLink(dependencies, {
      purpose: 'undo-email-change',
      request,
      signal,
      async lock(tx, { userId, email }) {
        await holdNames(tx, [email]);
        return lockUser(tx, userId);
      },
      async change(tx, before, link, now) {
        const { email, userId } = link;
        await refuseTaken(tx, 'user', { email, accountId: before.accountId, exceptUserId: userId }, now);
        const user = await updateUser(tx, userId, { ...before, email, pendingEmail: null, emailVerified: true }, now);
        await voidOneTimeTokens(tx, userId, 'confirm-email');
        await voidLaterUndoLinks(tx, userId, link);
        await releaseFormerEmails(tx, userId, email);
        return user;
      },
    });
    await namingTakenFields('user', work);
    return UndoEmailChangeResponse.fromPartial({});
  };
}

import { UndoEmailChangeResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { Violations, blank } from '@sabia/service-kit/validation/violations';
import { hashToken } from '../domain/access-token';
import { checkPassword } from '../domain/password-policy';
import { tokenRevoked, userUpdated } from '../events/published';
import { deleteTokensOfUser } from '../storage/access-tokens';
import { releaseFormerEmails } from '../storage/former-emails';
import { findOneTimeToken, useOneTimeToken, voidLaterUndoLinks, voidOneTimeTokens } from '../storage/one-time-tokens';
import { holdNames, namingTakenFields, refuseTaken } from '../storage/uniqueness';
import { lockUser, setPasswordHash, updateUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { invalidCode } from './invalid-code';

/** The user gets back the address to which the link was sent, and starts anew: whoever made the change may know the password. */
export function undoEmailChange({
  database,
  outbox,
  passwords,
  throttle,
  dropFromCaches,
  now,
}: Dependencies): Handler<'undoEmailChange'> {
  return async (request, { signal }) => {
    const violations = new Violations();
    if (!request.token) {
      violations.add('token', ...blank);
    }
    const password = checkPassword(violations, 'password', request.password);
    violations.throwIfAny('user');

    const hash = hashToken(request.token!);
    const token = await findOneTimeToken(database, hash, 'undo-email-change');
    if (token === undefined || token.usedAt !== null || token.expiresAt <= now()) {
      throw invalidCode();
    }
    const { email, userId } = token;
    const passwordHash = await passwords.hash(password, signal);
    const work = database.transaction(async (tx) => {
      const at = now();
      await holdNames(tx, [email]);
      const before = await lockUser(tx, userId);
      if (before === undefined || !(await useOneTimeToken(tx, hash, 'undo-email-change', at))) {
        throw invalidCode();
      }
      await refuseTaken(tx, 'user', { email, accountId: before.accountId, exceptUserId: userId }, at);
      const user = await updateUser(tx, userId, { ...before, email, pendingEmail: null, emailVerified: true }, at);
      await setPasswordHash(tx, userId, passwordHash, at);
      await voidOneTimeTokens(tx, userId, 'confirm-email');
      await voidOneTimeTokens(tx, userId, 'reset-password');
      await voidLaterUndoLinks(tx, userId, token);
      await releaseFormerEmails(tx, userId, email);
      const revoked = await deleteTokensOfUser(tx, userId);
      const owner = { accountId: user.accountId, userId };
      await outbox.write(tx, [userUpdated(user), ...revoked.map((tokenHash) => tokenRevoked(owner, tokenHash))]);
    });
    await namingTakenFields('user', work);
    await throttle.forgive(email);
    await dropFromCaches({ userId });
    return UndoEmailChangeResponse.fromPartial({});
  };
}

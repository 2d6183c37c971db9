import { ResetPasswordResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { hashToken } from '../domain/access-token';
import { checkPassword } from '../domain/password-policy';
import { Violations, blank } from '@sabia/service-kit/validation/violations';
import { tokenRevoked, userUpdated } from '../events/published';
import { deleteTokensOfUser } from '../storage/access-tokens';
import { findOneTimeToken, useOneTimeToken, voidOneTimeTokens } from '../storage/one-time-tokens';
import { lockUser, setPasswordHash } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { invalidCode } from './invalid-code';

export function resetPassword({
  database,
  outbox,
  passwords,
  throttle,
  dropFromCaches,
  now,
}: Dependencies): Handler<'resetPassword'> {
  return async (request, { signal }) => {
    const violations = new Violations();
    if (!request.token) {
      violations.add('token', ...blank);
    }
    const password = checkPassword(violations, 'password', request.password);
    violations.throwIfAny('user');

    const hash = hashToken(request.token!);
    // Looked up before anything is hashed: guessing codes must not cost us more than it costs the guesser.
    const token = await findOneTimeToken(database, hash, 'reset-password');
    if (token === undefined || token.usedAt !== null || token.expiresAt <= now()) {
      throw invalidCode();
    }
    const passwordHash = await passwords.hash(password, signal);
    await database.transaction(async (tx) => {
      const at = now();
      const user = await lockUser(tx, token.userId);
      if (user?.email !== token.email || !(await useOneTimeToken(tx, hash, 'reset-password', at))) {
        throw invalidCode();
      }
      await setPasswordHash(tx, user.id, passwordHash, at);
      await voidOneTimeTokens(tx, user.id, 'reset-password');
      const owner = { accountId: user.accountId, userId: user.id };
      const revoked = await deleteTokensOfUser(tx, user.id);
      await outbox.write(tx, [userUpdated(user), ...revoked.map((tokenHash) => tokenRevoked(owner, tokenHash))]);
    });
    await throttle.forgive(token.email);
    await dropFromCaches({ userId: token.userId });
    return ResetPasswordResponse.fromPartial({});
  };
}

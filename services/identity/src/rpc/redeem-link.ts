import { invalid } from '@sabia/service-kit/errors';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { Violations, blank } from '@sabia/service-kit/validation/violations';
import { hashToken } from '../domain/access-token';
import { checkPassword } from '../domain/password-policy';
import type { User } from '../domain/user';
import { tokenRevoked, userUpdated } from '../events/published';
import { deleteTokensOfUser } from '../storage/access-tokens';
import { findOneTimeToken, useOneTimeToken, voidOneTimeTokens } from '../storage/one-time-tokens';
import type { StoredOneTimeToken } from '../storage/one-time-tokens';
import { setPasswordHash } from '../storage/users';
import type { Dependencies } from './dependencies';

export interface Redemption {
  purpose: 'reset-password' | 'undo-email-change';
  request: { token?: string; password?: string };
  signal: AbortSignal;
  /** Locks the user; undefined if the link is no longer valid for the user. */
  lock: (tx: Transaction, link: StoredOneTimeToken) => Promise<User | undefined>;
  /** Applies the changes of the link other than the password. */
  change?: (tx: Transaction, user: User, link: StoredOneTimeToken, now: Date) => Promise<User>;
}

/** Uses a mailed link once to set a new password, and revokes every access token of the user. */
export async function redeemLink(
  { database, outbox, passwords, throttle, dropFromCaches, now }: Dependencies,
  { purpose, request, signal, lock, change }: Redemption,
): Promise<void> {
  const violations = new Violations();
  if (!request.token) {
    violations.add('token', ...blank);
  }
  const password = checkPassword(violations, 'password', request.password);
  violations.throwIfAny('user');

  const hash = hashToken(request.token!);
  // Looked up before the password is hashed: guessing a token must not cost the server more than the client.
  const link = await findOneTimeToken(database, hash, purpose);
  if (link === undefined || link.usedAt !== null || link.expiresAt <= now()) {
    throw invalidLink();
  }
  const { userId } = link;
  const passwordHash = await passwords.hash(password, signal);
  await database.transaction(async (tx) => {
    const at = now();
    const before = await lock(tx, link);
    if (before === undefined || !(await useOneTimeToken(tx, hash, purpose, at))) {
      throw invalidLink();
    }
    const user = (await change?.(tx, before, link, at)) ?? before;
    await setPasswordHash(tx, userId, passwordHash, at);
    await voidOneTimeTokens(tx, userId, 'reset-password');
    const revoked = await deleteTokensOfUser(tx, userId);
    const owner = { accountId: user.accountId, userId };
    await outbox.write(tx, [userUpdated(user), ...revoked.map((tokenHash) => tokenRevoked(owner, tokenHash))]);
  });
  await throttle.forgive(link.email);
  await dropFromCaches({ userId });
}

const invalidLink = () =>
  invalid('user', [{ field: 'token', code: 'invalid', message: 'is unknown, used already or has expired' }]);

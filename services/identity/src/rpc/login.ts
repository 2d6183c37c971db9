import { LoginResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { badRequest, unauthenticated } from '@sabia/service-kit/errors';
import { mintAccessToken, readTtl } from '../domain/access-token';
import { isEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { insertAccessToken } from '../storage/access-tokens';
import { findCredentials, recordLogin } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';

/** An unknown e-mail causes the same work and the same response as a wrong password. */
export function login({ database, passwords, throttle, now }: Dependencies): Handler<'login'> {
  return async ({ email, password, ttl }, { clientIp, signal }) => {
    if (!email?.trim() || !password) {
      throw badRequest('USERNAME_EMAIL_REQUIRED', 'email and password are required');
    }
    const lifetime = readTtl(ttl);
    const address = normalizeEmail(email);
    const attempt = { email: address, clientIp, signal };
    const user = isEmail(address) ? await findCredentials(database, address) : undefined;
    const matches = await throttle.guard(attempt, () => passwords.verify(user?.passwordHash, password, signal));
    if (user === undefined || !matches) {
      throw loginFailed();
    }
    if (!user.emailVerified) {
      throw unauthenticated('LOGIN_FAILED_EMAIL_NOT_VERIFIED', 'login failed as the email has not been verified');
    }

    const checkedHash = user.passwordHash;
    const newHash = passwords.needsRehash(checkedHash) ? await passwords.hash(password, signal) : checkedHash;
    const at = now();
    const { token, row } = mintAccessToken(user.id, lifetime, at);
    await database.transaction(async (tx) => {
      if (!(await recordLogin(tx, { userId: user.id, checkedHash, newHash, now: at }))) {
        throw loginFailed();
      }
      await insertAccessToken(tx, row);
    });
    return LoginResponse.fromPartial({ id: token, ttl: row.ttl, created: row.createdAt, userId: user.id });
  };
}

const loginFailed = () => unauthenticated('LOGIN_FAILED', 'login failed');

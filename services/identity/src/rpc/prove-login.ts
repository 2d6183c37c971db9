import { accountSuspended, badRequest, unauthenticated } from '@sabia/service-kit/errors';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import { isEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { mintAccessToken } from '../domain/access-token';
import type { AccessToken, TokenKind } from '../domain/access-token';
import { insertAccessToken } from '../storage/access-tokens';
import { findCredentials, recordLogin } from '../storage/users';
import type { Credentials } from '../storage/users';
import type { Dependencies } from './dependencies';

export interface ProvenLogin {
  token: string;
  row: AccessToken;
  user: Credentials;
}

/**
 * Checks e-mail and password, throttled, and creates a token of their user. An unknown e-mail causes the same work and the same
 * response as a wrong password.
 */
export async function proveLogin(
  { database, passwords, throttle, now }: Dependencies,
  { email, password }: { email?: string; password?: string },
  { clientIp, signal }: RpcContext,
  wanted: { kind: TokenKind; readTtl: () => number },
): Promise<ProvenLogin> {
  if (!email?.trim() || !password) {
    throw badRequest('USERNAME_EMAIL_REQUIRED', 'email and password are required');
  }
  const ttl = wanted.readTtl();
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
  if (user.suspensionReason !== null) {
    throw accountSuspended(user.suspensionReason);
  }

  const checkedHash = user.passwordHash;
  const newHash = passwords.needsRehash(checkedHash) ? await passwords.hash(password, signal) : checkedHash;
  const at = now();
  const { token, row } = mintAccessToken(user.id, ttl, at, wanted.kind);
  await database.transaction(async (tx) => {
    if (!(await recordLogin(tx, { userId: user.id, checkedHash, newHash, now: at }))) {
      throw loginFailed();
    }
    await insertAccessToken(tx, row);
  });
  return { token, row, user };
}

const loginFailed = () => unauthenticated('LOGIN_FAILED', 'login failed');

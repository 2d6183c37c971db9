import { invalid } from '@sabia/service-kit/errors';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import type { User } from '../domain/user';
import { findPasswordHash } from '../storage/users';
import type { Dependencies } from './dependencies';

/** Throttled like a login, so that a stolen token or link does not allow guessing the password. */
export async function refuseWrongPassword(
  { database, passwords, throttle }: Pick<Dependencies, 'database' | 'passwords' | 'throttle'>,
  user: User,
  given: { field: string; password: string },
  { clientIp, signal }: RpcContext,
): Promise<void> {
  const passwordHash = await findPasswordHash(database, user.id);
  const matches = await throttle.guard({ email: user.email, clientIp, signal }, () =>
    passwords.verify(passwordHash, given.password, signal),
  );
  if (!matches) {
    throw invalid('user', [{ field: given.field, code: 'mismatch', message: 'is not the current password' }]);
  }
}

import type { Session } from '@sabia/protos/sabia/identity/v1/messages';
import { unauthenticated } from '@sabia/service-kit/errors';
import { findAccount } from '../storage/accounts';
import { findUser } from '../storage/users';
import type { Dependencies } from './dependencies';
import { toAccountMessage, toUserMessage } from './messages';

export async function readSession(
  { database, signUpRules }: Pick<Dependencies, 'database' | 'signUpRules'>,
  { accountId, userId }: { accountId: number; userId: number },
): Promise<Session> {
  const [user, account] = await Promise.all([
    findUser(database, accountId, { id: userId }),
    findAccount(database, accountId),
  ]);
  if (user === undefined || account === undefined) {
    // The user was deleted during the request, and the session with it.
    throw unauthenticated('AUTHORIZATION_REQUIRED', 'Authorization Required');
  }
  return { user: toUserMessage(user), account: toAccountMessage(account, signUpRules.phoneCountry) };
}

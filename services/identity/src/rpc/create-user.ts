import { CreateUserRequest, CreateUserResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { unprocessable } from '@sabia/service-kit/errors';
import { answerOnce } from '@sabia/service-kit/postgres/answer-once';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { checkNewUser } from '../domain/new-user';
import type { User } from '../domain/user';
import { userCreated } from '../events/published';
import { lockAccount } from '../storage/accounts';
import { requestMail } from '../storage/mails';
import { holdNames } from '../storage/uniqueness';
import { findReachedLimit, insertUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { readRole, requireAdmin, toUserMessage } from './messages';
import { namingTakenFields, refuseTaken } from './taken-names';

export function createUser({
  database,
  outbox,
  passwords,
  pokeMails,
  signUpRules,
  now,
}: Dependencies): Handler<'createUser'> {
  return async (request, context) => {
    const caller = requireAdmin(context);
    const messages = {
      // A fast hash of the password would be easier to attack than the slow one that is stored.
      request: { ...request, password: undefined },
      Request: CreateUserRequest,
      Response: CreateUserResponse,
    };
    return answerOnce(
      { database, now, context, ...messages },
      {
        async act(transact) {
          const { password, ...wanted } = checkNewUser(
            { ...request, role: readRole(request.role) },
            signUpRules.phoneCountry,
          );
          const names = { email: wanted.email, accountId: caller.accountId };
          const refuse = async () => {
            await refuseTaken(database, 'user', names, now());
            await refuseBeyondLimit(database, caller.accountId);
          };
          await refuse();
          const passwordHash = await passwords.hash(password, context.signal, refuse);

          const creation = transact(async (tx) => {
            const at = now();
            await holdNames(tx, [wanted.email]);
            await refuseTaken(tx, 'user', names, at);
            await lockAccount(tx, caller.accountId);
            await refuseBeyondLimit(tx, caller.accountId);
            const user = await insertUser(tx, caller.accountId, { ...wanted, passwordHash }, at);
            if (!user.emailVerified) {
              await requestMail(tx, { template: 'confirm-email', address: user.email, userId: user.id }, at);
              tx.afterCommit(pokeMails);
            }
            await outbox.write(tx, [userCreated(user)]);
            return user;
          });
          return namingTakenFields('user', creation);
        },
        answer: (user: User) => CreateUserResponse.fromPartial({ user: toUserMessage(user) }),
      },
    );
  };
}

/** Holds until the transaction ends if the account is locked. */
async function refuseBeyondLimit(db: Queryable, accountId: number): Promise<void> {
  const limit = await findReachedLimit(db, accountId);
  if (limit !== undefined) {
    throw unprocessable('TOO_MANY_USERS', `The account may have at most ${limit} users.`);
  }
}

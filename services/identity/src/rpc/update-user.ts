import { UpdateUserResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { invalid, notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { CallContext } from '@sabia/service-kit/grpc/handler';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { readUserReference, refuseLosingLastAdmin } from '../domain/user';
import type { User } from '../domain/user';
import { checkUserChange, planUserChange } from '../domain/user-change';
import type { UserChangeInput } from '../domain/user-change';
import { tokenRevoked, userUpdated } from '../events/published';
import { deleteTokensOfUser } from '../storage/access-tokens';
import { lockAccount } from '../storage/accounts';
import { requestMail } from '../storage/mails';
import { voidOneTimeTokens } from '../storage/one-time-tokens';
import { namingTakenFields } from '../storage/uniqueness';
import {
  countAdmins,
  findCredentials,
  findUser,
  lockUser,
  setPasswordHash,
  updateUser as update,
} from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { readRole, toActor, toUserMessage } from './messages';

export function updateUser(dependencies: Dependencies): Handler<'updateUser'> {
  const { database, outbox, passwords, pokeMails, dropFromCaches, signUpRules, now } = dependencies;

  return async (request, context) => {
    const caller = requireCaller(context);
    const actor = toActor(caller);
    const named = isAbsent(request.uuid) ? String(caller.userId) : request.uuid;
    const reference = readUserReference(named);
    const target = reference && (await findUser(database, caller.accountId, reference));
    if (target === undefined) {
      throw notFound('user', named);
    }
    const own = target.id === actor.userId;
    // Who may not is told so before what is wrong with the fields, and before any password is hashed.
    const asked: UserChangeInput = { ...request, role: readRole(request.role) };
    planUserChange(target, asked, actor);
    const input = checkUserChange(asked, own, signUpRules.phoneCountry);
    if (input.password !== undefined && own) {
      await refuseWrongPassword(dependencies, target, input.currentPassword, context);
    }
    const passwordHash =
      input.password === undefined ? undefined : await passwords.hash(input.password, context.signal);

    const work = database.transaction(async (tx) => {
      const at = now();
      const current = await lockForChange(tx, target, input);
      const change = planUserChange(current, input, actor);
      if (change.role !== current.role) {
        refuseLosingLastAdmin(current, await countAdmins(tx, current.accountId));
      }
      const user = await update(tx, current.id, change, at);
      if (user.email !== current.email) {
        await voidOneTimeTokens(tx, user.id, 'confirm-email');
        await voidOneTimeTokens(tx, user.id, 'reset-password');
        if (!user.emailVerified) {
          await requestMail(tx, { template: 'confirm-email', address: user.email }, at);
        }
        // Whoever has found an open session cannot move the user elsewhere unnoticed. An unconfirmed address may be a stranger's.
        if (current.emailVerified) {
          await requestMail(tx, { template: 'email-changed', address: current.email, userId: user.id }, at);
        }
        tx.afterCommit(pokeMails);
      }
      const events = [userUpdated(user)];
      if (passwordHash !== undefined) {
        await setPasswordHash(tx, user.id, passwordHash, at);
        await voidOneTimeTokens(tx, user.id, 'reset-password');
        const revoked = await deleteTokensOfUser(tx, user.id, own ? caller.tokenHash : undefined);
        const owner = { accountId: user.accountId, userId: user.id };
        events.push(...revoked.map((hash) => tokenRevoked(owner, hash)));
      }
      await outbox.write(tx, events);
      return { user, forget: passwordHash !== undefined || user.role !== current.role || user.email !== current.email };
    });
    const { user, forget } = await namingTakenFields('user', work);
    if (forget) {
      await dropFromCaches({ userId: user.id });
    }
    return UpdateUserResponse.fromPartial({ user: toUserMessage(user) });
  };
}

/** Clients that fill in every field send an empty id for "myself". */
const isAbsent = (uuid: string | undefined): uuid is undefined | '' | '0' => !uuid || uuid === '0';

/** Counted like a login: a stolen token must not buy guesses at the password. */
async function refuseWrongPassword(
  { database, passwords, throttle }: Dependencies,
  user: User,
  password: string | undefined,
  { clientIp, signal }: CallContext,
): Promise<void> {
  const credentials = await findCredentials(database, user.email);
  const matches = await throttle.guard({ email: user.email, clientIp, signal }, () =>
    passwords.verify(credentials?.passwordHash, password ?? '', signal),
  );
  if (!matches) {
    throw invalid('user', [{ field: 'currentPassword', code: 'mismatch', message: 'is not the current password' }]);
  }
}

/** The account before the user, and only when the number of ADMINs may change. */
async function lockForChange(tx: Transaction, target: User, input: UserChangeInput): Promise<User> {
  if (input.role !== undefined) {
    await lockAccount(tx, target.accountId);
  }
  const current = await lockUser(tx, target.id);
  if (current === undefined) {
    throw notFound('user', target.uuid);
  }
  return current;
}

import { UpdateUserResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { readUserReference, refuseLosingLastAdmin } from '../domain/user';
import type { User } from '../domain/user';
import { checkUserChange, planUserChange } from '../domain/user-change';
import type { UserChange, UserChangeInput } from '../domain/user-change';
import { tokenRevoked, userUpdated } from '../events/published';
import { deleteTokensOfUser } from '../storage/access-tokens';
import { lockAccount } from '../storage/accounts';
import { voidOneTimeTokens } from '../storage/one-time-tokens';
import { holdNames } from '../storage/uniqueness';
import { countAdmins, findUser, lockUser, setPasswordHash, updateUser as update } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';
import { endUndoing, followEmailChange } from './email-change';
import { readRole, toActor, toUserMessage } from './messages';
import { refuseWrongPassword } from './prove-password';
import { namingTakenFields, refuseTaken } from './taken-names';

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
    // Permissions are checked before the fields are validated and before any password is hashed.
    const asked: UserChangeInput = { ...request, role: readRole(request.role) };
    planUserChange(target, asked, actor);
    const input = checkUserChange(asked, own, signUpRules.phoneCountry);
    if (input.password !== undefined && own) {
      const given = { field: 'currentPassword', password: input.currentPassword ?? '' };
      await refuseWrongPassword(dependencies, target, given, context);
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
      const claimed = claimedEmail(current, change, input.email);
      if (claimed !== undefined) {
        const { accountId, id } = current;
        await refuseTaken(tx, 'user', { email: claimed, accountId, exceptUserId: id }, at);
      }
      const user = await update(tx, current.id, change, at);
      const sameEmail = user.email === current.email && user.emailVerified === current.emailVerified;
      if (!own && (passwordHash !== undefined || !sameEmail)) {
        await endUndoing(tx, user.id);
      }
      await followEmailChange(tx, current, user, { byAnother: !own, now: at });
      tx.afterCommit(pokeMails);
      const events = [userUpdated(user)];
      if (passwordHash !== undefined) {
        await setPasswordHash(tx, user.id, passwordHash, at);
        await voidOneTimeTokens(tx, user.id, 'reset-password');
        const revoked = await deleteTokensOfUser(tx, user.id, own ? caller.tokenHash : undefined);
        const owner = { accountId: user.accountId, userId: user.id };
        events.push(...revoked.map((hash) => tokenRevoked(owner, hash)));
      }
      await outbox.write(tx, events);
      return { user, forget: passwordHash !== undefined || !sameEmail || user.role !== current.role };
    });
    const { user, forget } = await namingTakenFields('user', work);
    if (forget) {
      await dropFromCaches({ userId: user.id });
    }
    return UpdateUserResponse.fromPartial({ user: toUserMessage(user) });
  };
}

/** Clients that fill in every field send an empty id for the caller. */
const isAbsent = (uuid: string | undefined): uuid is undefined | '' | '0' => !uuid || uuid === '0';

/** The address that the user newly has or requests; undefined when there is none. */
function claimedEmail(current: User, change: UserChange, asked: string | undefined): string | undefined {
  if (asked !== undefined && asked === change.pendingEmail) {
    return asked;
  }
  const isNew = change.email !== current.email || (change.emailVerified && !current.emailVerified);
  return isNew ? change.email : undefined;
}

/** Locks addresses, account and user, each only if it may change; the account for its number of ADMINs. */
async function lockForChange(tx: Transaction, target: User, input: UserChangeInput): Promise<User> {
  if (input.email !== undefined || input.emailVerified !== undefined) {
    await holdNames(tx, [target.email, input.email ?? target.email]);
  }
  if (input.role !== undefined) {
    await lockAccount(tx, target.accountId);
  }
  const current = await lockUser(tx, target.id);
  if (current === undefined) {
    throw notFound('user', target.uuid);
  }
  return current;
}

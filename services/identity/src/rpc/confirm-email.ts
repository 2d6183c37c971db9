import { ConfirmEmailResponse } from '@sabia/protos/sabia/identity/v1/messages';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { RpcContext } from '@sabia/service-kit/grpc/handler';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { Violations, blank } from '@sabia/service-kit/validation/violations';
import { checkPassword } from '../domain/password-policy';
import type { User } from '../domain/user';
import { accountActivated, accountDeleted, tokenRevoked, userUpdated } from '../events/published';
import { deleteTokensOfUser } from '../storage/access-tokens';
import { activateAccount, findAccount } from '../storage/accounts';
import { useOneTimeToken, voidOneTimeTokens } from '../storage/one-time-tokens';
import { deleteSignUpsOf } from '../storage/sign-ups';
import { holdNames } from '../storage/uniqueness';
import { lockUser, setPasswordHash, updateUser } from '../storage/users';
import { findConfirmation, requireWaiting, usedLink } from './confirmation';
import type { Confirmation } from './confirmation';
import type { Dependencies, Handler } from './dependencies';
import { leaveAddress } from './email-change';
import { refuseWrongPassword } from './prove-password';
import { namingTakenFields, refuseTaken } from './taken-names';

/**
 * The link alone is not enough: its reader also chooses the password of a new user, or proves that of the user who moves to the address.
 * So a stranger who signed up with another person's address gains nothing when the link is followed (docs/decisions/0015).
 */
export function confirmEmail(dependencies: Dependencies): Handler<'confirmEmail'> {
  const { database, outbox, pokeMails, dropFromCaches, now } = dependencies;

  return async (request, context) => {
    const confirmation = await findConfirmation(database, request.token, now());
    const { email, hash } = confirmation;
    const passwordHash = await readPassword(dependencies, confirmation, request.password, context);

    const work = database.transaction(async (tx) => {
      const at = now();
      await holdNames(tx, [confirmation.user.email, email]);
      // Lock order: account, user, link.
      const activated = await activateAccount(tx, confirmation.user.accountId, at);
      const { user: before, changesEmail } = requireWaiting(await lockUser(tx, confirmation.user.id), email);
      if (!(await useOneTimeToken(tx, hash, 'confirm-email', at))) {
        throw usedLink();
      }
      await refuseTaken(tx, 'user', { email, accountId: before.accountId, exceptUserId: before.id }, at);
      const user = await updateUser(tx, before.id, { ...before, email, pendingEmail: null, emailVerified: true }, at);
      await voidOneTimeTokens(tx, user.id, 'confirm-email');
      const events: OutgoingEvent[] = activated ? [accountActivated(activated)] : [];
      if (changesEmail) {
        await voidOneTimeTokens(tx, user.id, 'reset-password');
        await leaveAddress(tx, before, { undoable: true, now: at });
        tx.afterCommit(pokeMails);
      } else if (passwordHash !== undefined) {
        events.push(...(await open(tx, user, passwordHash, at)));
      }
      await outbox.write(tx, [...events, userUpdated(user)]);
      const account = activated ?? (await findAccount(tx, user.accountId));
      return ConfirmEmailResponse.fromPartial({ email, domain: account?.domain });
    });
    const response = await namingTakenFields('user', work);
    await dropFromCaches({ userId: confirmation.user.id });
    return response;
  };
}

/** The hash of a newly chosen password; undefined after checking the existing password. */
async function readPassword(
  dependencies: Dependencies,
  { user, changesEmail }: Confirmation,
  given: string | undefined,
  context: RpcContext,
): Promise<string | undefined> {
  const violations = new Violations();
  if (!changesEmail) {
    const chosen = checkPassword(violations, 'password', given);
    violations.throwIfAny('user');
    return dependencies.passwords.hash(chosen, context.signal);
  }
  if (!given) {
    violations.add('password', ...blank);
  }
  violations.throwIfAny('user');
  await refuseWrongPassword(dependencies, user, { field: 'password', password: given! }, context);
  return undefined;
}

/** Hands a new user over to the recipient of the mail: sets the password, revokes tokens, deletes other sign-ups with the address. */
async function open(tx: Transaction, user: User, passwordHash: string, now: Date): Promise<OutgoingEvent[]> {
  await setPasswordHash(tx, user.id, passwordHash, now);
  const revoked = await deleteTokensOfUser(tx, user.id);
  const rivals = await deleteSignUpsOf(tx, user.email);
  const owner = { accountId: user.accountId, userId: user.id };
  return [...revoked.map((tokenHash) => tokenRevoked(owner, tokenHash)), ...rivals.map(accountDeleted)];
}

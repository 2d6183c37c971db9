import { ConfirmEmailResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { badRequest } from '@sabia/service-kit/errors';
import { hashToken } from '../domain/access-token';
import { accountActivated, userUpdated } from '../events/published';
import { activateAccount, findAccount } from '../storage/accounts';
import { findOneTimeToken, useOneTimeToken, voidOneTimeTokens } from '../storage/one-time-tokens';
import { findUserById, lockUser, updateUser } from '../storage/users';
import type { Dependencies, Handler } from './dependencies';

export function confirmEmail({ database, outbox, now }: Dependencies): Handler<'confirmEmail'> {
  return async (request) => {
    const hash = hashToken(request.token);
    const at = now();
    const token = await findOneTimeToken(database, hash, 'confirm-email');
    if (token === undefined) {
      throw unknownLink();
    }
    if (token.usedAt !== null) {
      throw usedLink();
    }
    if (token.expiresAt <= at) {
      throw badRequest('TOKEN_EXPIRED', 'This confirmation link has expired. Ask for a new one.');
    }

    return database.transaction(async (tx) => {
      const owner = await findUserById(tx, token.userId);
      // Account, user, link: whoever locks several of them does it in this order.
      const activated = owner && (await activateAccount(tx, owner.accountId, at));
      const user = await lockUser(tx, token.userId);
      if (user === undefined || user.email !== token.email) {
        throw unknownLink();
      }
      if (!(await useOneTimeToken(tx, hash, 'confirm-email', at))) {
        throw usedLink();
      }
      const confirmed = await updateUser(tx, user.id, { ...user, emailVerified: true }, at);
      await voidOneTimeTokens(tx, user.id, 'confirm-email');
      await outbox.write(tx, [...(activated ? [accountActivated(activated)] : []), userUpdated(confirmed)]);
      const account = activated ?? (await findAccount(tx, user.accountId));
      return ConfirmEmailResponse.fromPartial({ email: confirmed.email, domain: account?.domain });
    });
  };
}

const unknownLink = () => badRequest('INVALID_TOKEN', 'This confirmation link is not valid.');

const usedLink = () => badRequest('TOKEN_USED', 'This confirmation link has been used already.');

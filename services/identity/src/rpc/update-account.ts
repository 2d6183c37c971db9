import { UpdateAccountResponse } from '@sabia/protos/sabia/identity/v1/messages';
import { notFound } from '@sabia/service-kit/errors';
import { checkAccountChange } from '../domain/account';
import { accountUpdated } from '../events/published';
import { updateAccount as update } from '../storage/accounts';
import type { Dependencies, Handler } from './dependencies';
import { requireAdmin, toAccountMessage } from './messages';

export function updateAccount({ database, outbox, signUpRules, now }: Dependencies): Handler<'updateAccount'> {
  return async (request, context) => {
    const caller = requireAdmin(context);
    const change = checkAccountChange(request, signUpRules.phoneCountry);
    const account = await database.transaction(async (tx) => {
      const changed = await update(tx, caller.accountId, change, now());
      if (changed === undefined) {
        throw notFound('account', caller.accountUuid);
      }
      await outbox.write(tx, [accountUpdated(changed, signUpRules.phoneCountry)]);
      return changed;
    });
    return UpdateAccountResponse.fromPartial({ account: toAccountMessage(account, signUpRules.phoneCountry) });
  };
}

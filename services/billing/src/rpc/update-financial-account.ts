import { UpdateFinancialAccountResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { conflict, invalid, notFound } from '@sabia/service-kit/errors';
import { leaveScope } from '@sabia/service-kit/request-scope';
import { checkChange, lockedFields } from '../domain/financial-account';
import { afterSeconds } from '../payments/collection';
import { tellProvider } from '../payments/customers';
import { applyChange, findFinancialAccount, lockFinancialAccount } from '../storage/financial-accounts';
import type { Dependencies, Handler } from './dependencies';
import { requireAdmin, toFinancialAccountMessage } from './messages';

const tryAgainAfterSeconds = 60;

export function updateFinancialAccount({ database, collection, now }: Dependencies): Handler<'updateFinancialAccount'> {
  return async (request, context) => {
    const { accountId } = requireAdmin(context);
    await database.transaction(async (tx) => {
      const account = await lockFinancialAccount(tx, accountId);
      if (account === undefined) {
        throw notFound('financialAccount', accountId);
      }
      const locked = account.status === 'ACTIVE' ? lockedFields(request) : [];
      if (locked.length > 0) {
        throw conflict('TAX_ID_LOCKED', `An active financial account cannot change ${locked.join(', ')}.`);
      }
      const checked = checkChange(request);
      if ('violations' in checked) {
        throw invalid('financialAccount', checked.violations);
      }
      await applyChange(tx, accountId, checked.change, now(), afterSeconds(now(), tryAgainAfterSeconds));
    });
    await leaveScope(() => tellProvider(collection, accountId));
    const account = (await findFinancialAccount(database, accountId))!;
    return UpdateFinancialAccountResponse.fromPartial({ account: toFinancialAccountMessage(account) });
  };
}

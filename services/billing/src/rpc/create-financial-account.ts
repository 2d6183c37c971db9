import { CreateFinancialAccountResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { conflict, invalid } from '@sabia/service-kit/errors';
import { leaveScope } from '@sabia/service-kit/request-scope';
import { parseTaxId } from '../domain/tax-id';
import { afterSeconds } from '../payments/collection';
import { tellProvider } from '../payments/customers';
import { findFinancialAccount, lockFinancialAccount, savePending } from '../storage/financial-accounts';
import type { Dependencies, Handler } from './dependencies';
import { requireAdmin, toFinancialAccountMessage } from './messages';

const tryAgainAfterSeconds = 60;

export function createFinancialAccount({ database, collection, now }: Dependencies): Handler<'createFinancialAccount'> {
  return async ({ cpfCnpj }, context) => {
    const { accountId } = requireAdmin(context);
    const taxId = parseTaxId(cpfCnpj ?? '');
    if (taxId === undefined) {
      throw invalid('financialAccount', [
        cpfCnpj === undefined || cpfCnpj === ''
          ? { field: 'cpfCnpj', code: 'presence', message: "can't be blank" }
          : { field: 'cpfCnpj', code: 'format', message: 'must be a valid CPF or CNPJ' },
      ]);
    }
    const saved = await database.transaction(async (tx) => {
      const known = await lockFinancialAccount(tx, accountId);
      if (known?.status === 'ACTIVE') {
        if (known.cpfCnpj !== taxId.value) {
          throw conflict('TAX_ID_LOCKED', 'The tax id of an active financial account cannot be changed.');
        }
        return false;
      }
      const gateway = collection.providers.current.name;
      await savePending(tx, { accountId, gateway, taxId }, now(), afterSeconds(now(), tryAgainAfterSeconds));
      return true;
    });
    if (saved) {
      await leaveScope(() => tellProvider(collection, accountId));
    }
    const account = (await findFinancialAccount(database, accountId))!;
    return CreateFinancialAccountResponse.fromPartial({ account: toFinancialAccountMessage(account) });
  };
}

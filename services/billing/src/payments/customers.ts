import { ServiceError, invalid } from '@sabia/service-kit/errors';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import type { FinancialAccount } from '../domain/financial-account';
import { claimUntold, findFinancialAccount, markRefused, markTold } from '../storage/financial-accounts';
import { afterSeconds } from './collection';
import type { Collection } from './collection';
import { PaymentRefused } from './port';
import type { Customer } from './port';

const leaseSeconds = 60;
const accountsAtOnce = 20;

/**
 * Registers the account in its current state with the provider, which makes it active. If the provider cannot be reached, the
 * account stays unchanged and is sent later; if the provider refuses, so does this.
 */
export async function tellProvider(collection: Collection, accountId: number): Promise<void> {
  const { database, log, providers } = collection;
  const account = await findFinancialAccount(database, accountId);
  if (account === undefined) {
    return;
  }
  const provider = providers.current;
  try {
    if (account.customerId !== undefined) {
      await provider.updateCustomer(account.customerId, toCustomer(account));
    }
    await markTold(database, account, account.customerId ?? (await provider.registerCustomer(toCustomer(account))));
  } catch (error) {
    if (error instanceof PaymentRefused) {
      await markRefused(database, account);
      throw invalid('financialAccount', [
        { field: 'cpfCnpj', code: 'refused', message: 'was refused by the payment provider' },
      ]);
    }
    if (!(error instanceof ServiceError) || error.kind !== ErrorKind.UNAVAILABLE) {
      throw error;
    }
    log.warn({ err: error, accountId }, 'an account could not be sent to the payment provider, trying again');
  }
}

/** Sends accounts to the provider that could not be sent before. */
export async function tellUntold(collection: Collection): Promise<number> {
  const { database, log, now } = collection;
  const accountIds = await claimUntold(database, now(), afterSeconds(now(), leaseSeconds), accountsAtOnce);
  for (const accountId of accountIds) {
    await tellProvider(collection, accountId).catch((error: unknown) =>
      log.warn({ err: error, accountId }, 'the payment provider refuses an account'),
    );
  }
  return accountIds.length;
}

function toCustomer(account: FinancialAccount): Customer {
  return {
    accountId: account.accountId,
    cpfCnpj: account.cpfCnpj,
    name: account.company ?? account.name ?? account.email ?? `Account ${account.accountId}`,
    email: account.email,
    phone: account.phone,
    mobilePhone: account.mobilePhone,
    additionalEmails: account.additionalEmails,
  };
}

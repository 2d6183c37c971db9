import { GetAccountCreditResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { availableOf } from '../domain/credit';
import { readBalance } from '../storage/balances';
import { findDeckOf } from '../storage/rate-decks';
import type { Dependencies, Handler } from './dependencies';
import { currency } from './messages';
import { requireOperatedAccount } from './operated-account';

export function getAccountCredit({ database }: Dependencies): Handler<'getAccountCredit'> {
  return async ({ accountId }, context) => {
    await requireOperatedAccount(database, context, accountId);
    const [credit, rateDeck] = await Promise.all([readBalance(database, accountId), findDeckOf(database, accountId)]);
    const { balance, reserved } = credit;
    const available = availableOf(credit);
    return GetAccountCreditResponse.fromPartial({ balance, reserved, available, currency, rateDeck });
  };
}

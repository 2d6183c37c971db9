import { AssignRateDeckResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { giveDeck } from '../storage/rate-decks';
import type { Dependencies, Handler } from './dependencies';
import { checkDeckName, requireDeck, requireOperatedAccount } from './operated-account';

export function assignRateDeck({ database }: Dependencies): Handler<'assignRateDeck'> {
  return async ({ accountId, deck = '' }, context) => {
    await requireOperatedAccount(database, context, accountId);
    checkDeckName(deck);
    await database.transaction(async (tx) => {
      await giveDeck(tx, accountId, { id: await requireDeck(tx, deck), name: deck });
    });
    return AssignRateDeckResponse.fromPartial({ deck });
  };
}

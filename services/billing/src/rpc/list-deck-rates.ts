import { ListDeckRatesResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { readPage } from '@sabia/service-kit/filter/page';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { listDeckRates as list } from '../storage/rate-decks';
import type { Dependencies, Handler } from './dependencies';
import { requireDeck } from './operated-account';

export function listDeckRates({ database }: Dependencies): Handler<'listDeckRates'> {
  return async ({ deck, page, filter }, context) => {
    requireOperator(context);
    const deckId = await requireDeck(database, deck);
    const { rates, meta } = await list(database, { deckId, filter, page: readPage(page) });
    return ListDeckRatesResponse.fromPartial({ data: rates, meta });
  };
}

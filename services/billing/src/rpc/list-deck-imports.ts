import { ListDeckImportsResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { readPage } from '@sabia/service-kit/filter/page';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { listImports } from '../storage/rate-decks';
import type { Dependencies, Handler } from './dependencies';
import { requireDeck } from './operated-account';

export function listDeckImports({ database }: Dependencies): Handler<'listDeckImports'> {
  return async ({ deck, page }, context) => {
    requireOperator(context);
    const { rows, meta } = await listImports(database, {
      deckId: await requireDeck(database, deck),
      page: readPage(page),
    });
    return ListDeckImportsResponse.fromPartial({ data: rows, meta });
  };
}

import { ListRateDecksResponse } from '@sabia/protos/sabia/billing/v1/operator';
import { requireOperator } from '@sabia/service-kit/grpc/handler';
import { listDecks } from '../storage/rate-decks';
import type { Dependencies, Handler } from './dependencies';

export function listRateDecks({ database, now }: Dependencies): Handler<'listRateDecks'> {
  return async (_request, context) => {
    requireOperator(context);
    return ListRateDecksResponse.fromPartial({ decks: await listDecks(database, now()) });
  };
}

import { TellPricesAgainResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { readCallId } from '../domain/reservation';
import { callRated } from '../events/published';
import { findReservations } from '../storage/reservations';
import type { Dependencies, Handler } from './dependencies';

/** The event of a price always has the same id: consumers that have handled it ignore it. Accounts are not told again. */
export function tellPricesAgain({ database, outbox }: Dependencies): Handler<'tellPricesAgain'> {
  return async (request) => {
    const reservations = await findReservations(database, request.callIds.map(readCallId));
    const rated = [...reservations.values()].flatMap(({ callId, accountId, minutePrice, price, billedSeconds }) =>
      price === undefined || billedSeconds === undefined
        ? []
        : [{ callId, accountId, minutePrice, price, billedSeconds }],
    );
    await database.transaction((tx) =>
      outbox.write(
        tx,
        rated.map((call) => ({ ...callRated(call), servicesOnly: true })),
      ),
    );
    return TellPricesAgainResponse.fromPartial({ callIds: rated.map(({ callId }) => callId) });
  };
}

import { SettleReservationResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { invalid, notFound } from '@sabia/service-kit/errors';
import { readCallId } from '../domain/reservation';
import { callRated, creditWarned } from '../events/published';
import { findReservations } from '../storage/reservations';
import { settleCalls } from '../storage/settle-calls';
import type { Dependencies, Handler } from './dependencies';

export function settleReservation({
  database,
  outbox,
  lowThreshold,
  metrics,
  tellBalance,
  now,
}: Dependencies): Handler<'settleReservation'> {
  return async (request) => {
    const callId = readCallId(request.callId);
    if (request.durationSeconds < 0) {
      throw invalid('reservation', [{ field: 'durationSeconds', code: 'range', message: 'must not be negative' }]);
    }
    const known = (await findReservations(database, [callId])).get(callId);
    if (known === undefined) {
      throw notFound('reservation', callId);
    }
    const settled = await database.transaction(async (tx) => {
      const { accountId, destination } = known;
      const call = {
        callId,
        accountId,
        destination,
        durationSeconds: request.durationSeconds,
        tariff: known,
        at: now(),
      };
      const { rated, warnings, unpaid } = await settleCalls(tx, [call], lowThreshold);
      await outbox.write(tx, [
        ...rated.map((call) => callRated(call)),
        ...warnings.map((warning) => creditWarned(warning, lowThreshold)),
      ]);
      tx.afterCommit(() => {
        metrics.booked(rated, unpaid);
        tellBalance(accountId);
      });
      // Already settled, by the event of its end or by an earlier request: returns the amount charged then.
      return rated[0] ?? (await findReservations(tx, [callId])).get(callId)!;
    });
    const { price, minutePrice, billedSeconds } = settled;
    return SettleReservationResponse.fromPartial({ price, minutePrice, billedSeconds });
  };
}

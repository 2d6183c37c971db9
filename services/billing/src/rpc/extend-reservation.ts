import { ExtendReservationResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { conflict, invalid, notFound } from '@sabia/service-kit/errors';
import { readCallId } from '../domain/reservation';
import { longestCallSeconds } from '../domain/tariff';
import { creditWarned } from '../events/published';
import { extendHold } from '../storage/hold-credit';
import type { Dependencies, Handler } from './dependencies';

export function extendReservation({
  database,
  outbox,
  holdPolicy,
  lowThreshold,
  tellBalance,
  now,
}: Dependencies): Handler<'extendReservation'> {
  return async (request) => {
    const callId = readCallId(request.callId);
    if (request.seconds < 1 || request.seconds > longestCallSeconds) {
      const message = `must be between 1 and ${longestCallSeconds}`;
      throw invalid('reservation', [{ field: 'seconds', code: 'range', message }]);
    }
    const outcome = await database.transaction(async (tx) => {
      const extended = await extendHold(tx, { callId, seconds: request.seconds }, holdPolicy, now());
      await outbox.write(
        tx,
        extended.warnings.map((warning) => creditWarned(warning, lowThreshold)),
      );
      return extended;
    });
    switch (outcome.kind) {
      case 'unknown':
        throw notFound('reservation', callId);
      case 'closed':
        throw conflict('RESERVATION_CLOSED', 'The reservation is over.');
      case 'held': {
        const { accountId, amount, seconds } = outcome.reservation;
        tellBalance(accountId);
        return ExtendReservationResponse.fromPartial({ reserved: amount, seconds, exhausted: outcome.exhausted });
      }
    }
  };
}

import { ExtendReservationResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { conflict, invalid, notFound, unavailable } from '@sabia/service-kit/errors';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import { readCallId } from '../domain/reservation';
import { longestCallSeconds } from '../domain/tariff';
import { creditWarned } from '../events/published';
import { lockBalances, lockFreeBalances } from '../storage/balances';
import { extendHolds } from '../storage/extend-holds';
import type { ExtendOptions, ExtendOutcome, ExtendRequest } from '../storage/extend-holds';
import type { Dependencies, Handler } from './dependencies';

const BATCH = 64;

export function extendReservation({
  database,
  outbox,
  holdPolicy,
  lowThreshold,
  tellBalance,
  now,
}: Dependencies): Handler<'extendReservation'> {
  const extend = (requests: ExtendRequest[], lock: ExtendOptions['lock']): Promise<ExtendOutcome[]> =>
    database.transaction(async (tx) => {
      const { outcomes, warnings } = await extendHolds(tx, requests, { policy: holdPolicy, now: now(), lock });
      await outbox.write(
        tx,
        warnings.map((warning) => creditWarned(warning, lowThreshold)),
      );
      return outcomes;
    });
  // Calls that were placed together need more time together.
  const extensions = createBatcher<ExtendRequest, ExtendOutcome>({
    batchSize: BATCH,
    write: (requests) => extend(requests, lockFreeBalances),
  });
  // An account whose money is being moved keeps none but its own calls waiting.
  const patient = createBatcher<ExtendRequest & { accountId: number }, ExtendOutcome>({
    batchSize: BATCH,
    keyOf: ({ accountId }) => accountId,
    write: (requests) => extend(requests, lockBalances),
  });

  return async (request) => {
    const callId = readCallId(request.callId);
    if (request.seconds < 1 || request.seconds > longestCallSeconds) {
      const message = `must be between 1 and ${longestCallSeconds}`;
      throw invalid('reservation', [{ field: 'seconds', code: 'range', message }]);
    }
    const wanted = { callId, seconds: request.seconds };
    const first = await extensions.add(wanted);
    const outcome = first.kind === 'busy' ? await patient.add({ ...wanted, accountId: first.accountId }) : first;
    switch (outcome.kind) {
      case 'busy':
        throw unavailable('The account is busy.');
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

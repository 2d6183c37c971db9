import { ReserveCreditResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { conflict, insufficientCredit, invalid, unprocessable } from '@sabia/service-kit/errors';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { plentyFor } from '../domain/credit';
import { expiryOf } from '../domain/reservation';
import { billedSeconds, firstStep, priceOf } from '../domain/tariff';
import { creditWarned } from '../events/published';
import { holdWithCare } from '../storage/hold-credit';
import type { HoldOutcome, HoldRequest } from '../storage/hold-credit';
import { holdAtOnce } from '../storage/reservations';
import type { Dependencies, Handler } from './dependencies';
import { readCallId } from './messages';

export function reserveCredit(dependencies: Dependencies): Handler<'reserveCredit'> {
  return async (request) => {
    const wanted = readRequest(request, dependencies);
    const outcome = (await tryAtOnce(wanted, dependencies)) ?? (await hold(wanted, dependencies));
    switch (outcome.kind) {
      case 'refused':
        throw insufficientCredit('Not enough credit for the first billing increment.');
      case 'closed':
        throw conflict('RESERVATION_CLOSED', 'The call is over.');
      case 'held': {
        const { amount, seconds, minutePrice } = outcome.reservation;
        return ReserveCreditResponse.fromPartial({
          reserved: amount,
          seconds,
          minutePrice,
          exhausted: outcome.exhausted,
        });
      }
    }
  };
}

function readRequest(
  request: { callId: string; accountId: number; destination: string },
  { rates, reservationSeconds, now }: Dependencies,
): HoldRequest {
  const destination = request.destination.replace(/^\+/, '');
  if (!/^\d{1,15}$/.test(destination)) {
    throw invalid('reservation', [{ field: 'destination', code: 'format', message: 'must be E.164 digits' }]);
  }
  const tariff = rates.find(request.accountId, destination, now());
  if (tariff === undefined) {
    throw unprocessable('NO_RATE', 'There is no rate for this destination.');
  }
  const { minutePrice, minimumSeconds, incrementSeconds } = tariff;
  return {
    callId: readCallId(request.callId),
    accountId: request.accountId,
    destination,
    tariff: { minutePrice, minimumSeconds, incrementSeconds },
    seconds: reservationSeconds,
  };
}

/** One statement, when there is plenty of credit and the call is new. */
async function tryAtOnce(
  wanted: HoldRequest,
  { database, holdPolicy, now }: Dependencies,
): Promise<HoldOutcome | undefined> {
  const { tariff, callId, accountId, destination } = wanted;
  const seconds = billedSeconds(tariff, Math.max(wanted.seconds, firstStep(tariff)));
  const reservation = { ...tariff, callId, accountId, destination, amount: priceOf(tariff, seconds), seconds };
  const expiresAt = expiryOf(now(), seconds, holdPolicy.graceSeconds);
  try {
    const held = await holdAtOnce(
      database,
      { ...reservation, createdAt: now(), expiresAt },
      plentyFor(tariff, seconds),
    );
    return held
      ? { kind: 'held', reservation: { ...reservation, state: 'open' }, exhausted: false, warnings: [] }
      : undefined;
  } catch (error) {
    if (isUniqueViolation(error, 'reservations_pkey')) {
      return undefined;
    }
    throw error;
  }
}

function hold(
  wanted: HoldRequest,
  { database, outbox, holdPolicy, lowThreshold, now }: Dependencies,
): Promise<HoldOutcome> {
  return database.transaction(async (tx) => {
    const outcome = await holdWithCare(tx, wanted, holdPolicy, now());
    await outbox.write(
      tx,
      outcome.warnings.map((warning) => creditWarned(warning, lowThreshold)),
    );
    return outcome;
  });
}

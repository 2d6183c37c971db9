import { ReserveCreditResponse } from '@sabia/protos/sabia/billing/v1/messages';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import type { Batcher } from '@sabia/service-kit/work/batcher';
import { conflict, insufficientCredit, invalid, unprocessable } from '@sabia/service-kit/errors';
import { isUniqueViolation } from '@sabia/service-kit/postgres/errors';
import { plentyFor } from '../domain/credit';
import { toReais } from '../domain/money';
import type { Money } from '../domain/money';
import { CallOutOfTime, expiryOf, readCallId } from '../domain/reservation';
import { billedSeconds, firstStep, priceOf } from '../domain/tariff';
import { creditWarned } from '../events/published';
import { holdAtOnce, holdTogether } from '../storage/hold-at-once';
import type { HoldAtOnce } from '../storage/hold-at-once';
import { holdWithCare } from '../storage/hold-credit';
import type { HoldOutcome, HoldRequest } from '../storage/hold-credit';
import type { Dependencies, Handler } from './dependencies';

const BATCH = 64;

export function reserveCredit(dependencies: Dependencies): Handler<'reserveCredit'> {
  const { database } = dependencies;
  const together = createBatcher<HoldAtOnce, boolean>({
    batchSize: BATCH,
    patienceMs: 200,
    // One that cannot be written, such as a call that is known, leaves the others to the lines of their accounts.
    write: (waiting) =>
      holdTogether(database, waiting).catch((error: unknown) => {
        if (waiting.length === 1) throw error;
        return waiting.map(() => false);
      }),
  });
  // Calls of one account wait for its balance, and for no other.
  const ofOneAccount = createBatcher<HoldAtOnce, boolean>({
    batchSize: BATCH,
    keyOf: ({ accountId }) => accountId,
    async write(waiting) {
      const held = await holdAtOnce(database, waiting[0]!.accountId, waiting);
      return waiting.map(() => held);
    },
  });

  const attempt = async (wanted: HoldRequest): Promise<HoldOutcome> =>
    (await tryAtOnce([together, ofOneAccount], wanted, dependencies)) ?? (await hold(wanted, dependencies));

  return async (request) => {
    const wanted = readRequest(request, dependencies);
    const outcome = await attempt(wanted).catch(explain);
    switch (outcome.kind) {
      case 'refused':
        throw insufficientCredit(reasonOf(outcome.balance));
      case 'closed':
        throw conflict('RESERVATION_CLOSED', 'The call is over.');
      case 'held': {
        dependencies.tellBalance(wanted.accountId);
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

function explain(error: unknown): never {
  throw error instanceof CallOutOfTime
    ? invalid('reservation', [{ field: 'callId', code: 'range', message: error.message }])
    : error;
}

const reasonOf = (balance: Money): string =>
  balance < 0
    ? `The account is R$ ${toReais(-balance)} below zero after a refund or a chargeback. It places no calls until it is topped up.`
    : 'Not enough credit for the first billing increment.';

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

/** For new calls with plenty of credit. */
async function tryAtOnce(
  [together, ofOneAccount]: [Batcher<HoldAtOnce, boolean>, Batcher<HoldAtOnce, boolean>],
  wanted: HoldRequest,
  { holdPolicy, now }: Dependencies,
): Promise<HoldOutcome | undefined> {
  const { tariff, callId, accountId, destination } = wanted;
  const seconds = billedSeconds(tariff, Math.max(wanted.seconds, firstStep(tariff)));
  const reservation = { callId, accountId, destination, amount: priceOf(tariff, seconds), seconds, ...tariff };
  const expiresAt = expiryOf(now(), seconds, holdPolicy.graceSeconds);
  try {
    const whole = { createdAt: now(), expiresAt, plenty: plentyFor(tariff, seconds), ...reservation };
    const held = (await together.add(whole)) || (await ofOneAccount.add(whole));
    return held
      ? { kind: 'held', reservation: { state: 'open', ...reservation }, exhausted: false, warnings: [] }
      : undefined;
  } catch (error) {
    // Its name is that of a partition's index.
    if (isUniqueViolation(error)) {
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

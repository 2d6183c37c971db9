import { CallMoney, ReservationState } from '@sabia/protos/sabia/billing/v1/messages';
import { requireCaller } from '@sabia/service-kit/grpc/handler';
import { numberKind } from '../domain/number-kind';
import type { Rate } from '../domain/rate-book';
import { readCallId } from '../domain/reservation';
import { incrementsIn, priceOf } from '../domain/tariff';
import { findRecord } from '../storage/reservations';
import type { ReservationRecord } from '../storage/reservations';
import { movementsOfCall } from '../storage/statement';
import type { Dependencies, Handler } from './dependencies';
import { currency } from './messages';

export function getCallMoney({ database, rates }: Dependencies): Handler<'getCallMoney'> {
  return async (request, context) => {
    const { accountId } = requireCaller(context);
    const callId = readCallId(request.callId);
    const [record, entries] = await Promise.all([
      findRecord(database, accountId, callId),
      movementsOfCall(database, accountId, callId),
    ]);
    return { money: CallMoney.fromPartial({ callId, currency, entries, ...(record && sumsOf(record)) }) };
  };

  function sumsOf(record: ReservationRecord) {
    const { minutePrice, minimumSeconds, incrementSeconds, billedSeconds } = record;
    const { prefix, description } = rateOf(record) ?? {};
    const { country, type } = numberKind(record.destination);
    return {
      rate: {
        prefix,
        description: description || undefined,
        minute_price: minutePrice,
        minimum_seconds: minimumSeconds,
        increment_seconds: incrementSeconds,
        country,
        number_type: type,
      },
      duration: record.durationSeconds,
      billed_seconds: billedSeconds,
      increments: billedSeconds === undefined ? undefined : incrementsIn(record, billedSeconds),
      call_price: record.price,
      reservation: reservationOf(record),
    };
  }

  /** Decks keep their past, so the rate of the call's beginning is found again. Undefined if it was a different one. */
  function rateOf({ accountId, destination, createdAt, ...tariff }: ReservationRecord): Rate | undefined {
    const rate = /^\d+$/.test(destination) ? rates.find(accountId, destination, createdAt) : undefined;
    const isSame =
      rate?.minutePrice === tariff.minutePrice &&
      rate.minimumSeconds === tariff.minimumSeconds &&
      rate.incrementSeconds === tariff.incrementSeconds;
    return isSame ? rate : undefined;
  }
}

const states = {
  open: ReservationState.OPEN,
  released: ReservationState.RELEASED,
  expired: ReservationState.EXPIRED,
  settled: ReservationState.SETTLED,
};

/** Undefined for a call that was rated without having held anything. */
function reservationOf(record: ReservationRecord) {
  const { state, seconds, price = 0, createdAt, closedAt } = record;
  if (seconds === 0) {
    return undefined;
  }
  // What was held is the price of the time it paid for.
  const reserved = priceOf(record, seconds);
  return {
    state: states[state],
    reserved,
    released: state === 'open' ? 0 : reserved - price,
    seconds,
    createdAt,
    closedAt,
  };
}

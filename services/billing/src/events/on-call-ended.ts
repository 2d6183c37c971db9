import { telephonyEvents } from '@sabia/protos/events/telephony';
import type { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/delivery';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Money } from '../domain/money';
import type { RateBook } from '../domain/rate-book';
import { freeOfCharge, isCallId } from '../domain/reservation';
import type { EndedCall } from '../domain/reservation';
import { longestBilledSeconds } from '../domain/tariff';
import type { RatingMetrics } from '../rating-metrics';
import { settleCalls } from '../storage/settle-calls';
import { callRated, creditWarned } from './published';
import type { TellBalance } from './tell-balances';

export interface OnCallEndedParts {
  rates: RateBook;
  outbox: Outbox;
  log: Logger;
  lowThreshold: Money;
  metrics: RatingMetrics;
  tellBalance: TellBalance;
}

/** Settles ended calls, once each: releases the reservation, books the price and publishes it. */
export function onCallEnded({ rates, outbox, log, lowThreshold, metrics, tellBalance }: OnCallEndedParts) {
  return defineConsumer({
    durable: 'billing-call-ended',
    events: [telephonyEvents.callEnded],
    concurrency: 4,
    // The number of statements does not depend on the number of calls.
    batchSize: 256,
    async handleBatch(events, tx) {
      const calls = events.map((event) => readCall(event, rates, log));
      const { rated, warnings, unpaid } = await settleCalls(tx, calls, lowThreshold);
      // The batch is handled in the trace of its first event, but each price belongs to the trace of its own call.
      const traces = new Map(events.map(({ trace }, index) => [calls[index]!.callId, trace]));
      unpaid.forEach((call) => log.warn(call, 'a call outlasted its reservation; the rest is not billed'));
      await outbox.write(tx, [
        ...rated.map((call) => callRated(call, traces.get(call.callId))),
        ...warnings.map((warning) => creditWarned(warning, lowThreshold)),
      ]);
      tx.afterCommit(() => {
        metrics.booked(rated, unpaid);
        rated.forEach(({ accountId }) => tellBalance(accountId));
      });
    },
  });
}

/** At least one second for an answered call: telephony rounds down to whole seconds. */
function talkedSeconds({ answeredAt, durationSeconds }: CallSnapshot): number {
  return Math.max(answeredAt === undefined ? 0 : 1, durationSeconds);
}

function readCall(event: ReceivedEvent<typeof telephonyEvents.callEnded>, rates: RateBook, log: Logger): EndedCall {
  const { call } = event.message;
  if (call === undefined || !isCallId(call.callId)) {
    throw new TypeError('a call.ended event without a call id');
  }
  const at = call.endedAt ?? event.occurredAt;
  const destination = call.to.replace(/\D/g, '');
  const paid = call.callType === 'outbound';
  const rate = paid ? rates.find(event.accountId, destination, call.startedAt ?? at) : undefined;
  if (paid && rate === undefined && call.durationSeconds > 0) {
    log.warn({ callId: call.callId }, 'no deck has a rate for the destination of a call');
  }
  return {
    callId: call.callId.toLowerCase(),
    accountId: event.accountId,
    destination,
    durationSeconds: paid ? Math.min(talkedSeconds(call), longestBilledSeconds) : 0,
    tariff: rate ?? freeOfCharge,
    at,
  };
}

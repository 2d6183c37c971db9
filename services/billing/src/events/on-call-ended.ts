import { CallEnded } from '@sabia/protos/sabia/telephony/v1/events';
import type { CallSnapshot } from '@sabia/protos/sabia/telephony/v1/events';
import type { ReceivedEvent } from '@sabia/service-kit/events/consumer/consumer';
import type { BatchConsumer } from '@sabia/service-kit/events/consumer/definition';
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

export interface OnCallEndedParts {
  rates: RateBook;
  outbox: Outbox;
  log: Logger;
  lowThreshold: Money;
  metrics: RatingMetrics;
}

/** A call has ended: what it held goes back, what it cost is booked, and its price is told; once per call. */
export function onCallEnded({ rates, outbox, log, lowThreshold, metrics }: OnCallEndedParts): BatchConsumer {
  return {
    durable: 'billing-call-ended',
    types: ['telephony.call.ended'],
    concurrency: 4,
    // The statements are the same however many calls they settle.
    batchSize: 256,
    async handleBatch(events, tx) {
      const calls = events.map((event) => readCall(event, rates, log));
      const { rated, warnings, unpaid } = await settleCalls(tx, calls, lowThreshold);
      // The batch is handled in the trace of its first event; each price belongs to the call that it is of.
      const traces = new Map(events.map(({ trace }, index) => [calls[index]!.callId, trace]));
      unpaid.forEach((call) => log.warn(call, 'a call outlasted what was reserved for it; the rest is not billed'));
      await outbox.write(tx, [
        ...rated.map((call) => callRated(call, traces.get(call.callId))),
        ...warnings.map((warning) => creditWarned(warning, lowThreshold)),
      ]);
      tx.afterCommit(() => metrics.booked(rated, unpaid));
    },
  };
}

/** Telephony tells whole seconds. A call that was answered, however shortly, was no call for nothing. */
function talkedSeconds({ answeredAt, durationSeconds }: CallSnapshot): number {
  return Math.max(answeredAt === undefined ? 0 : 1, durationSeconds);
}

function readCall(event: ReceivedEvent, rates: RateBook, log: Logger): EndedCall {
  const { call } = CallEnded.decode(event.payload);
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

import { billingEvents } from '@sabia/protos/events/billing';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import { setPrices } from '../storage/prices';
import { callPriced } from './published';

/** Stores the price of a rated call in its record, and tells that it is there. */
export function onCallRated(outbox: Outbox) {
  return defineConsumer({
    durable: 'telephony-call-rated',
    events: [billingEvents.callRated],
    concurrency: 4,
    // The number of statements does not depend on the number of calls.
    batchSize: 128,
    async handleBatch(events, tx) {
      const rated = events.map(({ accountId, message, trace }) => ({ accountId, trace, ...message }));
      const unpriced = await setPrices(tx, rated);
      const told = rated.filter(({ callId }) => unpriced.delete(callId));
      if (told.length > 0) {
        await outbox.write(
          tx,
          told.map(({ trace, ...call }) => callPriced(call, trace)),
        );
      }
    },
  });
}

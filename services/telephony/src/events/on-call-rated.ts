import { billingEvents } from '@sabia/protos/events/billing';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { setPrices } from '../storage/prices';

/** Stores the price of a rated call in its record. */
export const onCallRated = defineConsumer({
  durable: 'telephony-call-rated',
  events: [billingEvents.callRated],
  concurrency: 4,
  async handleBatch(events, tx) {
    await setPrices(
      tx,
      events.map(({ accountId, message }) => ({ accountId, ...message })),
    );
  },
});

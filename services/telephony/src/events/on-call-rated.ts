import { CallRated } from '@sabia/protos/sabia/billing/v1/events';
import type { BatchConsumer } from '@sabia/service-kit/events/consumer/definition';
import { setPrices } from '../storage/prices';

/** Billing has rated a call: its price goes on its record. */
export const onCallRated: BatchConsumer = {
  durable: 'telephony-call-rated',
  types: ['billing.call.rated'],
  concurrency: 4,
  async handleBatch(events, tx) {
    await setPrices(
      tx,
      events.map(({ accountId, payload }) => ({ accountId, ...CallRated.decode(payload) })),
    );
  },
};

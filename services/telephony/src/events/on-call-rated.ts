import { CallRated } from '@sabia/protos/sabia/billing/v1/events';
import type { BatchConsumer } from '@sabia/service-kit/events/consumer/definition';
import { setPrices } from '../storage/prices';

/** Copies the price that billing has published to the call. */
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

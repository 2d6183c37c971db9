import { identityEvents } from '@sabia/protos/events/identity';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { saveLimit } from '../storage/account-limits';

/** Keeps how many live calls the account may have. */
export const onAccountLimited = defineConsumer({
  durable: 'telephony-account-limited',
  events: [identityEvents.accountLimited],
  async handle({ accountId, occurredAt: toldAt, message: { liveCalls = null } }, tx) {
    await saveLimit(tx, { accountId, liveCalls, toldAt });
  },
});

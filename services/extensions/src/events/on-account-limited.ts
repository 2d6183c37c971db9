import { identityEvents } from '@sabia/protos/events/identity';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { saveLimit } from '../storage/account-limits';

/** Keeps how many extensions the account may have. */
export const onAccountLimited = defineConsumer({
  durable: 'extensions-account-limited',
  events: [identityEvents.accountLimited],
  async handle({ accountId, occurredAt: toldAt, message: { extensions = null } }, tx) {
    await saveLimit(tx, { accountId, extensions, toldAt });
  },
});

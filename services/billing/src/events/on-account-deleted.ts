import { identityEvents } from '@sabia/protos/events/identity';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { deleteProfile } from '../storage/account-profiles';

/** Deletes the profile of an account whose sign-up was never confirmed. */
export const onAccountDeleted = defineConsumer({
  durable: 'billing-account-deleted',
  events: [identityEvents.accountDeleted],
  async handle({ accountId }, tx) {
    await deleteProfile(tx, accountId);
  },
});

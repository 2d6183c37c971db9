import { identityEvents } from '@sabia/protos/events/identity';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { saveProfile } from '../storage/account-profiles';

/** Keeps the name and the contacts of the account, for its financial account and for the payment provider. */
export const onAccountTold = defineConsumer({
  durable: 'billing-account-told',
  events: [identityEvents.accountCreated, identityEvents.accountUpdated],
  async handle({ accountId, occurredAt, message: { name, email, phone } }, tx) {
    await saveProfile(tx, { accountId, name, email, phone, toldAt: occurredAt });
  },
});

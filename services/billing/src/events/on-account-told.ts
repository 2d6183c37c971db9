import { AccountCreated, AccountUpdated } from '@sabia/protos/sabia/identity/v1/events';
import type { TransactionalConsumer } from '@sabia/service-kit/events/consumer/definition';
import { saveProfile } from '../storage/account-profiles';

/** Who the account is, for the financial account and for the payment provider. */
export const onAccountTold: TransactionalConsumer = {
  durable: 'billing-account-told',
  types: ['identity.account.created', 'identity.account.updated'],
  async handle(event, tx) {
    const message = event.type === 'identity.account.created' ? AccountCreated : AccountUpdated;
    const { name, email, phone } = message.decode(event.payload);
    await saveProfile(tx, { accountId: event.accountId, name, email, phone, toldAt: event.occurredAt });
  },
};

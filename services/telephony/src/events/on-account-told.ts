import { AccountCreated, AccountUpdated } from '@sabia/protos/sabia/identity/v1/events';
import type { TransactionalConsumer } from '@sabia/service-kit/events/consumer-definition';
import { saveZone } from '../storage/account-zones';

/** In which time zone the account lives. */
export const onAccountTold: TransactionalConsumer = {
  durable: 'telephony-account-told',
  types: ['identity.account.created', 'identity.account.updated'],
  async handle(event, tx) {
    const message = event.type === 'identity.account.created' ? AccountCreated : AccountUpdated;
    const { timeZone } = message.decode(event.payload);
    if (timeZone !== '') {
      await saveZone(tx, { accountId: event.accountId, timeZone, toldAt: event.occurredAt });
    }
  },
};

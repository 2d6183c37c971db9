import { AccountCreated, AccountUpdated } from '@sabia/protos/sabia/identity/v1/events';
import type { TransactionalConsumer } from '@sabia/service-kit/events/consumer/definition';
import { savePreferences } from '../storage/account-zones';

/** Keeps the preferences of accounts: time zone, area code and format of recordings. */
export const onAccountTold: TransactionalConsumer = {
  durable: 'telephony-account-told',
  types: ['identity.account.created', 'identity.account.updated'],
  async handle(event, tx) {
    const message = event.type === 'identity.account.created' ? AccountCreated : AccountUpdated;
    const { timeZone, areaCode, recordingFormat } = message.decode(event.payload);
    if (timeZone !== '') {
      const told = { timeZone, areaCode, recordingFormat: recordingFormat || 'wav' };
      await savePreferences(tx, { accountId: event.accountId, ...told, toldAt: event.occurredAt });
    }
  },
};

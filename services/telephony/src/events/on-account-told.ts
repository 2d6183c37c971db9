import { identityEvents } from '@sabia/protos/events/identity';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { savePreferences } from '../storage/account-zones';

/** Keeps the account's time zone, area code and recording format. */
export const onAccountTold = defineConsumer({
  durable: 'telephony-account-told',
  events: [identityEvents.accountCreated, identityEvents.accountUpdated],
  async handle({ accountId, occurredAt, message: { timeZone, areaCode, recordingFormat } }, tx) {
    if (timeZone !== '') {
      const told = { timeZone, areaCode, recordingFormat: recordingFormat || 'wav' };
      await savePreferences(tx, { accountId, ...told, toldAt: occurredAt });
    }
  },
});

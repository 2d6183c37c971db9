import { identityEvents } from '@sabia/protos/events/identity';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { saveLimits } from '../storage/account-limits';

/** Keeps how many live calls the account may have, and for how long its recordings are kept. */
export const onAccountLimited = defineConsumer({
  durable: 'telephony-account-limited',
  events: [identityEvents.accountLimited],
  async handle({ accountId, occurredAt: toldAt, message }, tx) {
    const { liveCalls = null, recordingRetentionDays = null } = message;
    await saveLimits(tx, { accountId, liveCalls, recordingRetentionDays, toldAt });
  },
});

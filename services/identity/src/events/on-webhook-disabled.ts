import { webhookEvents } from '@sabia/protos/events/webhook';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { requestMail } from '../storage/mails';
import { findNoticeRecipients } from '../storage/notice-recipients';

/** Mails the owner of a disabled webhook, or the account's administrators if the owner was deleted. */
export const onWebhookDisabled = (options: { now: () => Date; pokeMails: () => void }) =>
  defineConsumer({
    durable: 'identity-webhook-disabled',
    events: [webhookEvents.integrationDisabled],
    async handle({ accountId, message }, tx) {
      const { userId, ...details } = message;
      for (const { id, email } of await findNoticeRecipients(tx, accountId, userId)) {
        await requestMail(tx, { template: 'webhook-disabled', address: email, userId: id, details }, options.now());
      }
      tx.afterCommit(options.pokeMails);
    },
  });

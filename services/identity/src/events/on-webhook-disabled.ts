import { IntegrationDisabled } from '@sabia/protos/sabia/webhook/v1/events';
import type { TransactionalConsumer } from '@sabia/service-kit/events/consumer/definition';
import { requestMail } from '../storage/mails';
import { findNoticeRecipients } from '../storage/notice-recipients';

/** A webhook was disabled: its user hears of it by mail, or whoever looks after the account when there is no such user any more. */
export const onWebhookDisabled = (options: { now: () => Date; pokeMails: () => void }): TransactionalConsumer => ({
  durable: 'identity-webhook-disabled',
  types: ['webhook.integration.disabled'],
  async handle({ accountId, payload }, tx) {
    const { userId, integrationId, gateway, reason } = IntegrationDisabled.decode(payload);
    const details = { integrationId, gateway, reason };
    for (const { id, email } of await findNoticeRecipients(tx, accountId, userId)) {
      await requestMail(tx, { template: 'webhook-disabled', address: email, userId: id, details }, options.now());
    }
    tx.afterCommit(options.pokeMails);
  },
});

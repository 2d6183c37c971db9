import { identityEvents } from '@sabia/protos/events/identity';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import { writeReason } from '../domain/reason';
import { disableIntegrationsOfUser } from '../storage/disable';
import { integrationDisabled } from './published';

const reason = writeReason('OWNER_DELETED');

/**
 * Disables the integrations of a deleted user, who would otherwise still receive the account's calls at an address that only
 * that user may know. The integrations are kept, so that other users of the account can look at them and enable them again.
 */
export const onUserDeleted = ({ outbox, log, now }: { outbox: Outbox; log: Logger; now: () => Date }) =>
  defineConsumer({
    durable: 'webhook-user-deleted',
    events: [identityEvents.userDeleted],
    async handle({ accountId, message: { userId } }, tx) {
      const disabled = await disableIntegrationsOfUser(tx, { accountId, userId }, reason, now());
      await outbox.write(tx, disabled.map(integrationDisabled));
      if (disabled.length > 0) {
        log.warn({ integrations: disabled.map(({ id }) => id), reason }, 'webhooks were disabled');
      }
    },
  });

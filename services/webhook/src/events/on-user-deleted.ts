import { UserDeleted } from '@sabia/protos/sabia/identity/v1/events';
import type { TransactionalConsumer } from '@sabia/service-kit/events/consumer/definition';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import { disableIntegrationsOfUser } from '../storage/disable';
import { integrationDisabled } from './published';

const reason = 'The user who owned the integration was deleted.';

/**
 * Otherwise a deleted user would go on receiving the account's calls, at an address that the account may not know. The
 * integrations stay, so that other users of the account can look at them and enable them again.
 */
export const onUserDeleted = (options: { outbox: Outbox; log: Logger; now: () => Date }): TransactionalConsumer => ({
  durable: 'webhook-user-deleted',
  types: ['identity.user.deleted'],
  async handle({ accountId, payload }, tx) {
    const { outbox, log, now } = options;
    const { userId } = UserDeleted.decode(payload);
    const disabled = await disableIntegrationsOfUser(tx, { accountId, userId }, reason, now());
    await outbox.write(tx, disabled.map(integrationDisabled));
    if (disabled.length > 0) {
      log.warn({ integrations: disabled.map(({ id }) => id), reason }, 'webhooks were disabled');
    }
  },
});

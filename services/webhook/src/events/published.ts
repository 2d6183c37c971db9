import { IntegrationDisabled } from '@sabia/protos/sabia/webhook/v1/events';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { DisabledIntegration } from '../domain/integration';

/** Every event that webhook publishes. */

export const integrationDisabled = ({
  id,
  accountId,
  userId,
  gateway,
  reason,
}: DisabledIntegration): OutgoingEvent => ({
  type: 'webhook.integration.disabled',
  accountId,
  payload: IntegrationDisabled.encode({ integrationId: id, userId, gateway, reason }).finish(),
});

import { webhookEvents } from '@sabia/protos/events/webhook';
import { outgoingEvent } from '@sabia/service-kit/events/outbox';
import type { OutgoingEvent } from '@sabia/service-kit/events/outbox';
import type { DisabledIntegration } from '../domain/integration';

/** Every event that webhook publishes. */

export const integrationDisabled = ({ id, accountId, userId, gateway, reason }: DisabledIntegration): OutgoingEvent =>
  outgoingEvent(webhookEvents.integrationDisabled, { integrationId: id, userId, gateway, reason }, { accountId });

import { DeliveriesRecorded, IntegrationDisabled } from '../../generated/sabia/webhook/v1/events';
import { defineEvent } from './define-event';

export const webhookEvents = {
  deliveriesRecorded: defineEvent('webhook.deliveries.recorded', DeliveriesRecorded),
  integrationDisabled: defineEvent('webhook.integration.disabled', IntegrationDisabled),
};

import { IntegrationDisabled } from '../../generated/sabia/webhook/v1/events';
import { defineEvent } from './define-event';

export const webhookEvents = {
  integrationDisabled: defineEvent('webhook.integration.disabled', IntegrationDisabled),
};

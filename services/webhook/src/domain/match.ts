import { explainMismatch } from './constraint';
import type { EventType } from './event-type';
import type { Integration } from './integration';
import type { JsonObject } from './json-object';

/** Why the integration does not get this event; undefined when it does. */
export function whyNotSent(
  integration: Pick<Integration, 'settings' | 'constraintPairs' | 'disabledReason'>,
  type: EventType,
  metadata: JsonObject,
): string | undefined {
  const { settings, constraintPairs, disabledReason } = integration;
  if (settings === null) {
    return 'The integration has no webhook.';
  }
  if (disabledReason !== null) {
    return `The webhook is disabled: ${disabledReason}`;
  }
  if (!settings.types.includes(type)) {
    return `webhookTypes does not name ${type}; it names ${settings.types.join(', ')}.`;
  }
  return explainMismatch(constraintPairs, metadata);
}

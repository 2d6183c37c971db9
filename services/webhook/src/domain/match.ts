import { explainMismatch } from './constraint';
import type { EventType } from './event-type';
import type { Integration } from './integration';
import type { JsonObject } from './json-object';
import { writeReason } from './reason';

/** Why the integration does not get this event; undefined when it does. */
export function whyNotSent(
  integration: Pick<Integration, 'settings' | 'constraintPairs' | 'disabledReason'>,
  type: EventType,
  metadata: JsonObject,
): string | undefined {
  const { settings, constraintPairs, disabledReason } = integration;
  if (settings === null) {
    return writeReason('NO_WEBHOOK');
  }
  if (disabledReason !== null) {
    return writeReason('WEBHOOK_DISABLED', { cause: disabledReason });
  }
  if (!settings.types.includes(type)) {
    return writeReason('TYPE_NOT_CHOSEN', { type, types: settings.types.join(', ') });
  }
  return explainMismatch(constraintPairs, metadata);
}

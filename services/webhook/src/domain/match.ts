import { findMismatch } from './constraint';
import type { EventType } from './event-type';
import type { Integration } from './integration';
import type { JsonObject } from './json-object';
import { writeReason } from './reason';
import type { ReasonCode } from './reason';

/** Why an integration does not get an event. */
export interface Unsent {
  code: ReasonCode;
  /** The sentence is written when it is needed: of many events like it, only the newest one's is. */
  explain: () => string;
}

/** Undefined when the integration gets the event. */
export function whyNotSent(
  integration: Pick<Integration, 'settings' | 'constraintPairs' | 'disabledReason'>,
  type: EventType,
  metadata: JsonObject,
): Unsent | undefined {
  const { settings, constraintPairs, disabledReason } = integration;
  if (settings === null) {
    return unsent('NO_WEBHOOK');
  }
  if (disabledReason !== null) {
    return unsent('WEBHOOK_DISABLED', () => ({ cause: disabledReason }));
  }
  if (!settings.types.includes(type)) {
    return unsent('TYPE_NOT_CHOSEN', () => ({ type, types: settings.types.join(', ') }));
  }
  return findMismatch(constraintPairs, metadata);
}

const unsent = (code: ReasonCode, detail: () => Record<string, string> = () => ({})): Unsent => ({
  code,
  explain: () => writeReason(code, detail()),
});

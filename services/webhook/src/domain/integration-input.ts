import { checkLine } from '@sabia/service-kit/validation/text-field';
import type { Violations } from '@sabia/service-kit/validation/violations';
import { readConstraint } from './constraint';
import type { IntegrationFields } from './integration';
import { parseObject } from './json-object';
import type { JsonObject } from './json-object';
import { checkSettings } from './webhook-settings';
import type { SettingsRules } from './webhook-settings';

/** The fields that a client sent; undefined stands for a field that was left out or null. */
export interface IntegrationInput {
  gateway?: string;
  webhook?: boolean;
  webhookConstraint?: string;
  metadata?: string;
}

const maximumGatewayLength = 64;
const maximumJsonBytes = 64 * 1024;

/** The integration after the change: the fields that were sent, and the others as they were. */
export function checkIntegration(
  violations: Violations,
  input: IntegrationInput,
  before: IntegrationFields | undefined,
  rules: SettingsRules,
): IntegrationFields {
  const gateway =
    input.gateway === undefined && before !== undefined
      ? before.gateway
      : checkLine(violations, 'gateway', input.gateway, maximumGatewayLength);
  const webhook = input.webhook ?? before?.webhook ?? false;
  const metadata = input.metadata ?? before?.metadata ?? '{}';
  const webhookConstraint = input.webhookConstraint ?? before?.webhookConstraint ?? null;

  const parsed = checkObject(violations, 'metadata', metadata);
  return {
    gateway,
    webhook,
    webhookConstraint,
    metadata,
    settings: webhook && !violations.has('metadata') ? checkSettings(violations, parsed, rules) : null,
    constraintPairs: webhookConstraint === null ? {} : checkConstraint(violations, webhookConstraint),
  };
}

/** The pairs of a constraint as a client sent it. */
export const checkConstraint = (violations: Violations, text: string): JsonObject =>
  readConstraint(checkObject(violations, 'webhookConstraint', text));

function checkObject(violations: Violations, field: string, text: string): JsonObject {
  if (Buffer.byteLength(text) > maximumJsonBytes) {
    violations.add(field, 'length', `must be at most ${maximumJsonBytes / 1024} KiB`);
    return {};
  }
  const object = parseObject(text);
  if (object === undefined) {
    violations.add(field, 'type', 'must be an object');
  }
  return object ?? {};
}

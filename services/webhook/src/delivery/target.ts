import type { Receiver } from '../domain/receiver';
import type { SecretVault } from '../domain/secret-vault';
import type { WebhookSettings } from '../domain/webhook-settings';

/** Where a webhook goes and what goes along with it, worked out once for many. */
export interface Target {
  origin: string;
  path: string;
  /** Names and values in turn. */
  headers: readonly string[];
  /** They name a trace already. */
  namesTrace: boolean;
  /** All that sign. */
  secrets: readonly Buffer[];
}

/** Throws when a secret cannot be opened. */
export function createTarget(
  settings: WebhookSettings,
  { accountId, secret, previousSecrets }: Receiver,
  vault: SecretVault,
  now: Date,
): Target {
  const { origin, pathname, search } = new URL(settings.url);
  const headers = {
    'user-agent': 'Sabia-Webhooks/1.0',
    accept: '*/*',
    ...settings.headers,
    'content-type': 'application/json',
  };
  const signing = [secret, ...previousSecrets.filter(({ until }) => until > now).map((previous) => previous.secret)];
  return {
    origin,
    path: pathname + search,
    headers: Object.entries(headers).flat(),
    namesTrace: 'traceparent' in headers,
    secrets: signing.map((sealed) => vault.open(accountId, sealed)),
  };
}

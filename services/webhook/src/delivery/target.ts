import type { Logger } from '@sabia/service-kit/logging';
import type { Receiver } from '../domain/receiver';
import type { SecretVault } from '../domain/secret-vault';
import { contentType, defaultHeaders } from '../domain/sent-headers';
import type { WebhookSettings } from '../domain/webhook-settings';

/** Where the webhooks of a receiver go and what is sent with them, prepared once for many. */
export interface Target {
  accountId: number;
  origin: string;
  path: string;
  /** Names and values alternate. */
  headers: readonly string[];
  /** The headers contain a traceparent already. */
  namesTrace: boolean;
  /** The secrets that sign. */
  secrets: readonly Buffer[];
}

/** Throws when a secret cannot be opened. */
function createTarget(
  settings: WebhookSettings,
  { accountId, secret, previousSecrets }: Receiver,
  vault: SecretVault,
  now: Date,
): Target {
  const { origin, pathname, search } = new URL(settings.url);
  const headers = { ...defaultHeaders, ...settings.headers, ...contentType };
  const signing = [secret, ...previousSecrets.filter(({ until }) => until > now).map((previous) => previous.secret)];
  return {
    accountId,
    origin,
    path: pathname + search,
    headers: Object.entries(headers).flat(),
    namesTrace: 'traceparent' in headers,
    secrets: signing.map((sealed) => vault.open(accountId, sealed)),
  };
}

/** The targets by integration. A receiver without a webhook, or whose secrets cannot be opened, has none. */
export function openTargets(
  receivers: readonly Receiver[],
  { vault, log, now }: { vault: SecretVault; log: Logger; now: Date },
): Map<number, Target> {
  const targets = new Map<number, Target>();
  for (const receiver of receivers) {
    try {
      if (receiver.settings !== null) {
        targets.set(receiver.integrationId, createTarget(receiver.settings, receiver, vault, now));
      }
    } catch (error) {
      log.error({ err: error, integration: receiver.integrationId }, 'deliveries of an integration cannot be signed');
    }
  }
  return targets;
}

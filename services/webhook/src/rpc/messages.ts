import { Delivery, Integration } from '@sabia/protos/sabia/webhook/v1/messages';
import { notFound, unprocessable } from '@sabia/service-kit/errors';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { webhookIdOf } from '../delivery/webhook-id';
import type { Integration as DomainIntegration } from '../domain/integration';
import { readReason } from '../domain/reason';
import type { Reason } from '../domain/reason';
import { headersAsSent } from '../domain/sent-headers';
import type { SecretVault } from '../domain/secret-vault';
import { writeSecret } from '../domain/signature';
import { findIntegration } from '../storage/integrations';
import type { ListedDelivery } from '../storage/delivery-list';

export const toIntegrationMessage = (integration: DomainIntegration, vault: SecretVault): Integration =>
  Integration.fromPartial({
    id: integration.id,
    gateway: integration.gateway,
    webhook: integration.webhook,
    webhookConstraint: integration.webhookConstraint ?? undefined,
    metadata: integration.metadata,
    webhookSecret: integration.webhook ? writeSecret(vault.open(integration.accountId, integration.secret)) : undefined,
    disabledReason: integration.disabledReason ?? undefined,
    disabledWhy: whyOf(integration.disabledReason),
    createdAt: integration.createdAt,
    updatedAt: integration.updatedAt,
  });

/** The code of a reason's text. */
export const whyOf = (text: string | null | undefined): { code: string; detail: string } | undefined =>
  text ? toReason(readReason(text)) : undefined;

const toReason = (reason: Reason | undefined) => reason && { code: reason.code, detail: JSON.stringify(reason.detail) };

const notMatched = 'not-matched';

export const toDeliveryMessage = (delivery: ListedDelivery): Delivery =>
  Delivery.fromPartial({
    id: delivery.id,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    callId: delivery.callId ?? undefined,
    status: delivery.status,
    reason: delivery.reason ?? undefined,
    why: whyOf(delivery.reason),
    createdAt: delivery.createdAt,
    nextAttemptAt: delivery.nextAttemptAt ?? undefined,
    webhookId: delivery.status === notMatched ? undefined : webhookIdOf(delivery.id),
    payload: delivery.payload ?? undefined,
    test: delivery.test,
    attempts: delivery.attempts.map((attempt) => ({
      at: attempt.at,
      status: attempt.status ?? undefined,
      latencyMs: attempt.latencyMs,
      answer: attempt.answer ?? undefined,
      error: attempt.error ?? undefined,
      why: whyOf(attempt.error),
      requestHeaders:
        attempt.headers === null
          ? undefined
          : JSON.stringify(headersAsSent(attempt.headers, { webhookId: webhookIdOf(delivery.id), at: attempt.at })),
    })),
  });

export async function requireIntegration(db: Queryable, accountId: number, id: number): Promise<DomainIntegration> {
  const integration = await findIntegration(db, accountId, id);
  if (integration === undefined) {
    throw notFound('integration', id);
  }
  return integration;
}

export type Sendable = DomainIntegration & { settings: NonNullable<DomainIntegration['settings']> };

export function requireWebhook(integration: DomainIntegration): Sendable {
  const { settings } = integration;
  if (settings === null) {
    throw unprocessable('NO_WEBHOOK', 'The integration has no webhook.');
  }
  return { ...integration, settings };
}

export function requireEnabled(integration: DomainIntegration): Sendable {
  if (integration.disabledReason !== null) {
    throw unprocessable('WEBHOOK_DISABLED', `The webhook is disabled: ${integration.disabledReason}`);
  }
  return requireWebhook(integration);
}

import type { JsonObject } from './json-object';
import type { SealedSecret } from './secret-vault';
import type { WebhookSettings } from './webhook-settings';

/** The fields that a client decides. */
export interface IntegrationFields {
  gateway: string;
  webhook: boolean;
  /** JSON texts, as they were sent. */
  webhookConstraint: string | null;
  metadata: string;
  /** The settings read from the texts; null without a webhook. */
  settings: WebhookSettings | null;
  constraintPairs: JsonObject;
}

export interface Integration extends IntegrationFields {
  id: number;
  accountId: number;
  userId: number;
  secret: SealedSecret;
  disabledReason: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface DisabledIntegration {
  id: number;
  accountId: number;
  userId: number;
  gateway: string;
  reason: string;
}

import type { Circuit } from './circuit';
import type { SealedSecret } from './secret-vault';
import type { WebhookSettings } from './webhook-settings';

/** An integration as seen by whoever sends to it. */
export interface Receiver extends Circuit {
  integrationId: number;
  accountId: number;
  settings: WebhookSettings | null;
  disabledReason: string | null;
  secret: SealedSecret;
  previousSecret: SealedSecret | null;
  previousSecretUntil: Date | null;
}

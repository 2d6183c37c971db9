import type { Circuit } from './circuit';
import type { SealedSecret } from './secret-vault';
import type { WebhookSettings } from './webhook-settings';

/** An integration as the delivery engine sees it. */
export interface Receiver extends Circuit {
  integrationId: number;
  accountId: number;
  settings: WebhookSettings | null;
  disabledReason: string | null;
  secret: SealedSecret;
  /** Replaced by rotation; those that have not expired sign, too. */
  previousSecrets: PreviousSecret[];
}

export interface PreviousSecret {
  secret: SealedSecret;
  until: Date;
}

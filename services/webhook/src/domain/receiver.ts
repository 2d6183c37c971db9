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
  /** Rotated away; those whose time is not over sign along. */
  previousSecrets: PreviousSecret[];
}

export interface PreviousSecret {
  secret: SealedSecret;
  until: Date;
}

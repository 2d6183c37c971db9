import type { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { SecretVault } from '../domain/secret-vault';

/** What the rpcs are made of; each takes only what it uses. */
export interface Dependencies {
  database: Database;
  vault: SecretVault;
  allowPrivate: boolean;
  now: () => Date;
  /** There is something to send. */
  poke: () => void;
}

export type Handler<Rpc extends keyof WebhookServiceService> = NonNullable<Handlers<WebhookServiceService>[Rpc]>;

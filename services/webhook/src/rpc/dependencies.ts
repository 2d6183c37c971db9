import type { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { SecretVault } from '../domain/secret-vault';

/** The parts that the RPCs use; each takes only those it needs. */
export interface Dependencies {
  database: Database;
  vault: SecretVault;
  allowPrivate: boolean;
  /** How many integrations an account may have. */
  maximumIntegrations: number;
  now: () => Date;
  /** Has due deliveries sent now instead of at the next poll. */
  poke: () => void;
}

export type Handler<Rpc extends keyof WebhookServiceService> = NonNullable<Handlers<WebhookServiceService>[Rpc]>;

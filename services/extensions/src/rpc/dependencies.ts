import type { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { SerialWork } from '@sabia/service-kit/work/serial-work';
import type { CountryCode } from 'libphonenumber-js/max';
import type { SenhaVault } from '../domain/senha-vault';

/** What the rpcs are made of; each takes only what it uses. */
export interface Dependencies {
  database: Database;
  outbox: Outbox;
  vault: SenhaVault;
  /**
   * Changes of one account's numbers, by account. They take turns under a lock in the database and wait for it here rather than on
   * a connection, so that a burst in one account leaves the pool to the others.
   */
  turns: SerialWork<number>;
  /** Of numbers that are written without a country code. */
  phoneCountry: CountryCode;
  now: () => Date;
}

export type Handler<Rpc extends keyof ExtensionsServiceService> = NonNullable<Handlers<ExtensionsServiceService>[Rpc]>;

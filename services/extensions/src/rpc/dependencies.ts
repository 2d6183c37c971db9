import type { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { SerialWork } from '@sabia/service-kit/work/serial-work';
import type { CountryCode } from 'libphonenumber-js/max';
import type { IceConfig } from '../domain/ice-servers';
import type { SipServer } from '../domain/sip-servers';
import type { SenhaVault } from '../domain/senha-vault';
import type { DropFromCaches } from '../events/cache-drop';

/** The parts that the rpcs share; each takes only those it uses. */
export interface Dependencies {
  database: Database;
  outbox: Outbox;
  dropFromCaches: DropFromCaches;
  vault: SenhaVault;
  /**
   * Serialises changes of an account's numbers. They need a lock in the database; waiting here instead of on a connection leaves the
   * pool to other accounts during a burst.
   */
  turns: SerialWork<number>;
  /** The country of numbers without a country code. */
  phoneCountry: CountryCode;
  /** The STUN and TURN servers of web phones. */
  ice: IceConfig;
  /** Where softphones and desk phones register, the best first. */
  sipServers: SipServer[];
  now: () => Date;
}

export type Handler<Rpc extends keyof ExtensionsServiceService> = NonNullable<Handlers<ExtensionsServiceService>[Rpc]>;

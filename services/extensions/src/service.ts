import { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import { keyCleaning } from '@sabia/service-kit/postgres/key-cleaning';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { createSerialWork } from '@sabia/service-kit/work/serial-work';
import type { Config } from './config';
import { createSenhaVault } from './domain/senha-vault';
import { createExtensionDrop } from './events/cache-drop';
import { onAccountLimited } from './events/on-account-limited';
import { onRegistrationChanged } from './events/on-registration-changed';
import { onSuspensionChanged } from './events/on-suspension-changed';
import { createSenhaRotation } from './rotation/senha-rotation';
import { createHandlers } from './rpc/handlers';

export interface Overrides {
  log?: Logger;
  now?: () => Date;
  /** Milliseconds on a clock that nobody sets. */
  elapsed?: () => number;
}

export function createService(
  config: Config,
  { log, now = () => new Date(), elapsed = () => performance.now() }: Overrides = {},
): Service {
  return createChassis({
    name: 'extensions',
    config: config.chassis,
    log,
    definition: ExtensionsServiceService,
    assemble: (parts) => assemble(config, parts, { now, elapsed }),
  });
}

type Clocks = Required<Pick<Overrides, 'now' | 'elapsed'>>;

function assemble(config: Config, { database, outbox, nats, log }: ChassisParts, { now, elapsed }: Clocks) {
  const vault = createSenhaVault(config.senhaKeys);
  const rotation = createSenhaRotation({ database, vault, log });
  const cleaner = createPeriodicWork({ ...keyCleaning({ database, now }), log });

  return {
    handlers: createHandlers({
      database,
      outbox,
      dropFromCaches: createExtensionDrop({ nats, log, elapsed }),
      vault,
      turns: createSerialWork(),
      phoneCountry: config.phoneCountry,
      ice: config.ice,
      sipServers: config.sipServers,
      now,
    }),
    consumers: [onRegistrationChanged, onSuspensionChanged(outbox), onAccountLimited],
    async start() {
      await rotation.start();
      cleaner.start();
    },
    async stop() {
      await cleaner.stop();
      await rotation.stop();
    },
  };
}

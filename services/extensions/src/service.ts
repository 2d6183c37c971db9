import { ExtensionsServiceService } from '@sabia/protos/sabia/extensions/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import { createKeyCleaner } from '@sabia/service-kit/postgres/key-cleaner';
import type { Config } from './config';
import { createSenhaVault } from './domain/senha-vault';
import { registrationNews } from './events/received';
import { createSenhaRotation } from './rotation/senha-rotation';
import type { SenhaRotation } from './rotation/senha-rotation';
import { createHandlers } from './rpc/handlers';
import { createTurns } from './storage/turns';

export interface Overrides {
  log?: Logger;
  now?: () => Date;
}

export function createService(config: Config, { log, now = () => new Date() }: Overrides = {}): Service {
  const vault = createSenhaVault(config.senhaKeys);
  let rotation: SenhaRotation | undefined;
  let keyCleaner: ReturnType<typeof createKeyCleaner> | undefined;

  return createChassis({
    name: 'extensions',
    config: config.chassis,
    log,
    definition: ExtensionsServiceService,
    handlers: ({ database, outbox }) =>
      createHandlers({ database, outbox, vault, turns: createTurns(), phoneCountry: config.phoneCountry, now }),
    consumers: () => [registrationNews],
    start: async ({ database, log: serviceLog }) => {
      rotation = createSenhaRotation({ database, vault, log: serviceLog });
      await rotation.start();
      keyCleaner = createKeyCleaner({ database, log: serviceLog, now });
      keyCleaner.start();
    },
    stop: async () => {
      await keyCleaner?.stop();
      await rotation?.stop();
    },
  });
}

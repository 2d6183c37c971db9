import { IdentityServiceService } from '@sabia/protos/sabia/identity/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import { createKeyCleaner } from '@sabia/service-kit/postgres/key-cleaner';
import type { Config } from './config';
import { createPasswordHasher } from './domain/password-hasher';
import type { HashParameters } from './domain/password-hasher';
import { createCacheDrop } from './events/cache-drop';
import { expireSignUps } from './events/expired-sign-ups';
import { onWebhookDisabled } from './events/on-webhook-disabled';
import { createLinks } from './mail/links';
import { createMailSender } from './mail/sender';
import { createMailWorker } from './mail/worker';
import type { Dependencies } from './rpc/dependencies';
import { createHandlers } from './rpc/handlers';
import { createHousekeeping } from './storage/housekeeping';
import { createLoginThrottle } from './storage/login-throttle';
import { createTokenUsage } from './storage/token-usage';

export interface Overrides {
  log?: Logger;
  /** Time and the price of a hash are what tests replace. */
  now?: () => Date;
  hashParameters?: HashParameters;
}

export function createService(config: Config, overrides: Overrides = {}): Service {
  const now = overrides.now ?? (() => new Date());
  const passwords = createPasswordHasher({
    concurrency: config.passwordHashConcurrency,
    parameters: overrides.hashParameters,
  });
  let rooms: ReturnType<typeof furnish> | undefined;

  return createChassis({
    name: 'identity',
    config: config.chassis,
    log: overrides.log,
    definition: IdentityServiceService,
    handlers: (parts) => {
      rooms = furnish(parts);
      return createHandlers(rooms.dependencies);
    },
    consumers: () => [onWebhookDisabled({ now, pokeMails: () => rooms?.dependencies.pokeMails() })],
    async start() {
      await passwords.prepare();
      rooms?.workers.forEach((worker) => worker.start());
    },
    async stop() {
      await Promise.all(rooms?.workers.map((worker) => worker.stop()) ?? []);
    },
  });

  function furnish({ database, outbox, nats, log }: ChassisParts) {
    const tokenUsage = createTokenUsage({ database, log, now });
    const mails = createMailWorker({
      database,
      sender: createMailSender({ smtpUrl: config.smtpUrl, from: config.mailFrom }),
      links: createLinks(config.publicUrl),
      log,
      now,
    });
    const dependencies: Dependencies = {
      database,
      outbox,
      passwords,
      throttle: createLoginThrottle({ database, policy: config.throttle, now }),
      tokenUsage,
      dropFromCaches: createCacheDrop({ nats, log }),
      pokeMails: () => mails.poke(),
      signUpRules: config.signUpRules,
      timeZone: config.timeZone,
      now,
    };
    const housekeeping = createHousekeeping({
      database,
      expireSignUps: () => database.transaction((tx) => expireSignUps(tx, outbox, now())),
      log,
      now,
    });
    return { dependencies, workers: [mails, tokenUsage, housekeeping, createKeyCleaner({ database, log, now })] };
  }
}

import { IdentityServiceService } from '@sabia/protos/sabia/identity/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import { keyCleaning } from '@sabia/service-kit/postgres/key-cleaning';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { Config } from './config';
import { storedTokenOf } from './domain/operator';
import { createPasswordHasher } from './domain/password-hasher';
import type { HashParameters } from './domain/password-hasher';
import { createSessionDrop } from './events/cache-drop';
import { expireSignUps } from './events/expired-sign-ups';
import { onWebhookDisabled } from './events/on-webhook-disabled';
import { createLinks } from './mail/links';
import { createMailSender } from './mail/sender';
import { createMailWorker } from './mail/worker';
import { createHandlers } from './rpc/handlers';
import { createLoginThrottle } from './rpc/login-throttle';
import { deleteOutdatedRows } from './storage/housekeeping';
import { createTokenUsage } from './storage/token-usage';

export interface Overrides {
  log?: Logger;
  now?: () => Date;
  /** Milliseconds on a clock that nobody sets. */
  elapsed?: () => number;
  /** Cheaper hashes for tests. */
  hashParameters?: HashParameters;
}

const minute = 60_000;

export function createService(
  config: Config,
  { log, now = () => new Date(), elapsed = () => performance.now(), hashParameters }: Overrides = {},
): Service {
  return createChassis({
    name: 'identity',
    config: config.chassis,
    log,
    definition: IdentityServiceService,
    assemble: (parts) => assemble(config, parts, { now, elapsed, hashParameters }),
  });
}

type Clocks = Required<Pick<Overrides, 'now' | 'elapsed'>>;

function assemble(
  config: Config,
  parts: ChassisParts,
  { now, elapsed, hashParameters }: Clocks & Pick<Overrides, 'hashParameters'>,
) {
  const { database, outbox, nats, log } = parts;
  const passwords = createPasswordHasher({ concurrency: config.passwordHashConcurrency, parameters: hashParameters });
  const tokenUsage = createTokenUsage({ database, now });
  const mails = createMailWorker({
    database,
    sender: createMailSender({ smtpUrl: config.smtpUrl, from: config.mailFrom }),
    links: createLinks(config.publicUrl),
    log,
    now,
  });
  const pokeMails = () => mails.poke();
  const periodicWork = [
    { name: 'last use of tokens', everyMs: 1_000, work: () => tokenUsage.flush() },
    keyCleaning({ database, now }),
    {
      name: 'outdated rows and unconfirmed sign-ups',
      everyMs: 60 * minute,
      async work() {
        await deleteOutdatedRows(database, now());
        await database.transaction((tx) => expireSignUps(tx, outbox, now()));
      },
    },
  ];
  const workers = [mails, ...periodicWork.map((each) => createPeriodicWork({ ...each, log }))];

  return {
    handlers: createHandlers({
      database,
      outbox,
      nats,
      passwords,
      throttle: createLoginThrottle({ database, policy: config.throttle, now }),
      tokenUsage,
      dropFromCaches: createSessionDrop({ nats, log, elapsed }),
      pokeMails,
      signUpRules: config.signUpRules,
      timeZone: config.timeZone,
      configuredOperator: config.operatorToken === undefined ? undefined : storedTokenOf(config.operatorToken),
      now,
    }),
    consumers: [onWebhookDisabled({ now, pokeMails })],
    async start() {
      await passwords.prepare();
      workers.forEach((worker) => worker.start());
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await tokenUsage
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'last use of tokens was not written'));
    },
  };
}

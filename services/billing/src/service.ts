import { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { deleteExpiredKeys } from '@sabia/service-kit/postgres/idempotency-keys';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { Config } from './config';
import { createRateBook, defaultDeckName } from './domain/rate-book';
import { onAccountDeleted } from './events/on-account-deleted';
import { onAccountTold } from './events/on-account-told';
import { onCallEnded } from './events/on-call-ended';
import { createBalanceTeller } from './events/tell-balances';
import { createAsaas } from './payments/asaas';
import { createAsaasClient } from './payments/asaas-client';
import { createProviders } from './payments/collection';
import type { Collection, Providers } from './payments/collection';
import { tellUntold } from './payments/customers';
import { passDueCharges } from './payments/overdue';
import { performDueTasks } from './payments/provider-tasks';
import { createSandbox } from './payments/sandbox';
import { createPartitionKeeper } from './partition-keeper';
import { importRateFile } from './rate-file';
import { createRatingMetrics } from './rating-metrics';
import { createHandlers } from './rpc/handlers';
import { expireHolds } from './storage/hold-credit';
import { createRateCache } from './storage/rate-cache';
import { hasRates } from './storage/rates';

export interface Overrides {
  log?: Logger;
  now?: () => Date;
  /** Replaces the pauses between sweeps. */
  sweepMs?: number;
}

/** No bank accepts this key. */
const sandboxPixKey = '00000000-0000-4000-8000-000000000000';

const pauses = { reservations: 5_000, partitions: 600_000, overdue: 30_000, provider: 15_000, keys: 60_000 };

export function createService(config: Config, { log, now = () => new Date(), sweepMs }: Overrides = {}): Service {
  return createChassis({
    name: 'billing',
    config: config.chassis,
    log,
    definition: BillingServiceService,
    assemble: (parts) => assemble(config, parts, now, sweepMs),
  });
}

function assemble(config: Config, parts: ChassisParts, now: () => Date, sweepMs?: number) {
  const { database, outbox, log, telemetry } = parts;
  const { reservationRetentionDays } = config;
  const rateCache = createRateCache({ database, log });
  const rates = createRateBook(() => rateCache.decks);
  const metrics = createRatingMetrics(telemetry);
  const teller = createBalanceTeller({ database, outbox, log });
  const { tellBalance } = teller;
  const collection: Collection = {
    database,
    outbox,
    log,
    providers: readProviders(config, log),
    allowSandbox: config.allowSandbox,
    lowThreshold: config.lowCreditThreshold,
    tellBalance,
    pageUrl: (token) => `${config.publicUrl}/pay/${token}`,
    now,
  };

  let seedFile = config.ratesSeedFile;
  async function loadRates(): Promise<void> {
    if (seedFile !== undefined) {
      await seedRates(database, seedFile, log, now);
      seedFile = undefined;
    }
    await rateCache.refresh();
  }

  /** A sweep that did as much as it takes on at once is followed by another without a pause. */
  const sweeper = (name: string, everyMs: number, sweep: () => Promise<number>, atOnce: number) =>
    createPeriodicWork({ name, everyMs: sweepMs ?? everyMs, work: async () => (await sweep()) >= atOnce, log });
  const sweepers = [
    teller,
    createPeriodicWork({ name: 'rates', everyMs: sweepMs ?? config.rateRefreshMs, work: loadRates, log }),
    sweeper('reservations', pauses.reservations, () => expireHolds(database, now(), tellBalance), 500),
    createPeriodicWork({
      name: 'partitions',
      everyMs: sweepMs ?? pauses.partitions,
      work: createPartitionKeeper({ database, reservationRetentionDays, log, now }),
      log,
    }),
    sweeper('overdue', pauses.overdue, () => passDueCharges(collection), 500),
    sweeper('provider tasks', pauses.provider, () => performDueTasks(collection), 20),
    sweeper('idempotency keys', pauses.keys, () => deleteExpiredKeys(database, now(), 500), 500),
    sweeper('customers', pauses.provider, () => tellUntold(collection), 20),
  ];

  return {
    handlers: createHandlers({
      ...collection,
      collection,
      rates,
      metrics,
      reservationSeconds: config.reservationSeconds,
      holdPolicy: { graceSeconds: config.reservationGraceSeconds },
      phoneCountry: config.phoneCountry,
    }),
    consumers: [onCallEnded({ ...collection, rates, metrics }), onAccountTold, onAccountDeleted],
    async start() {
      // The service starts without its database; the sweeper loads the rates when the database is back.
      await loadRates().catch((error: unknown) => log.warn({ err: error }, 'rates could not be loaded, trying again'));
      sweepers.forEach((each) => each.start());
    },
    async stop() {
      await Promise.all(sweepers.map((each) => each.stop()));
    },
    checks: { rates: { required: true, check: async () => void rates.find(0, '', now()) } },
  };
}

/** Imports the seed file into a deployment that has no rates yet. */
async function seedRates(database: Database, file: string, log: Logger, now: () => Date): Promise<void> {
  if (await hasRates(database)) {
    return;
  }
  const { applied, added, problems } = await importRateFile(database, { file, deck: defaultDeckName, now });
  if (applied) {
    log.info({ added }, 'rates imported from the seed file');
  } else {
    log.error({ problems: problems.slice(0, 5) }, 'the seed file of rates was refused');
  }
}

function readProviders({ gateway, asaas }: Config, log: Logger): Providers {
  const sandbox = createSandbox({ pixKey: sandboxPixKey, merchantName: 'SABIA SANDBOX', merchantCity: 'SAO PAULO' });
  if (asaas === undefined) {
    return createProviders(sandbox, []);
  }
  const provider = createAsaas({
    client: createAsaasClient({ ...asaas, log }),
    webhookToken: asaas.webhookToken,
    log,
  });
  return gateway === 'asaas' ? createProviders(provider, [sandbox]) : createProviders(sandbox, [provider]);
}

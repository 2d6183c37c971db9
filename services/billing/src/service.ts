import { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Config } from './config';
import { defaultDeckName } from './domain/rate';
import { onAccountDeleted } from './events/on-account-deleted';
import { onAccountTold } from './events/on-account-told';
import { onCallEnded } from './events/on-call-ended';
import { createAsaas } from './payments/asaas';
import { createAsaasClient } from './payments/asaas-client';
import { createProviders } from './payments/collection';
import type { Collection, Providers } from './payments/collection';
import { tellUntold } from './payments/customers';
import { passDueCharges } from './payments/overdue';
import { performDueTasks } from './payments/provider-tasks';
import { createSandbox } from './payments/sandbox';
import { importRateFile } from './rate-file';
import { createRatingMetrics } from './rating-metrics';
import type { RatingMetrics } from './rating-metrics';
import { createHandlers } from './rpc/handlers';
import { expireHolds } from './storage/hold-credit';
import { deleteExpiredKeys } from './storage/idempotency-keys';
import { createRateCache } from './storage/rate-cache';
import type { RateCache } from './storage/rate-cache';
import { hasRates } from './storage/rates';
import { createSweeper } from './sweeper';
import type { Sweeper } from './sweeper';

export interface Overrides {
  log?: Logger;
  now?: () => Date;
  /** Instead of the usual pauses between sweeps. */
  sweepMs?: number;
}

/** A key that no bank knows. */
const sandboxPixKey = '00000000-0000-4000-8000-000000000000';

const pauses = { reservations: 5_000, overdue: 30_000, provider: 15_000, keys: 60_000 };

interface Engine {
  rates: RateCache;
  collection: Collection;
  metrics: RatingMetrics;
  sweepers: Sweeper[];
  loadRates: () => Promise<void>;
}

export function createService(config: Config, overrides: Overrides = {}): Service {
  const now = overrides.now ?? (() => new Date());
  let engine: Engine | undefined;
  const engineOf = (parts: ChassisParts): Engine => (engine ??= createEngine(config, overrides, parts, now));

  return createChassis({
    name: 'billing',
    config: config.chassis,
    log: overrides.log,
    definition: BillingServiceService,
    handlers(parts) {
      const { collection, rates, metrics } = engineOf(parts);
      return createHandlers({
        ...collection,
        collection,
        rates,
        metrics,
        reservationSeconds: config.reservationSeconds,
        holdPolicy: { graceSeconds: config.reservationGraceSeconds },
        phoneCountry: config.phoneCountry,
      });
    },
    consumers(parts) {
      const { collection, rates, metrics } = engineOf(parts);
      return [onCallEnded({ ...collection, rates, metrics }), onAccountTold, onAccountDeleted];
    },
    async start(parts) {
      const { loadRates, sweepers } = engineOf(parts);
      // A database that is away must not keep the process from starting: it looks again by itself.
      await loadRates().catch((error: unknown) => parts.log.warn({ err: error }, 'no rates yet, trying again'));
      sweepers.forEach((sweeper) => sweeper.start());
    },
    async stop() {
      await Promise.all((engine?.sweepers ?? []).map((sweeper) => sweeper.stop()));
    },
    checks: (parts) => ({
      rates: { required: true, check: async () => void engineOf(parts).rates.find(0, '', now()) },
    }),
  });
}

function createEngine(config: Config, { sweepMs }: Overrides, parts: ChassisParts, now: () => Date): Engine {
  const { database, outbox, log } = parts;
  const rates = createRateCache({ database, log });
  const collection: Collection = {
    database,
    outbox,
    log,
    providers: readProviders(config, log),
    allowSandbox: config.allowSandbox,
    lowThreshold: config.lowCreditThreshold,
    pageUrl: (token) => `${config.publicUrl}/pay/${token}`,
    now,
  };

  let seedFile = config.ratesSeedFile;
  async function loadRates(): Promise<void> {
    if (seedFile !== undefined) {
      await seedRates(database, seedFile, log, now);
      seedFile = undefined;
    }
    await rates.refresh();
  }

  const sweeper = (name: string, everyMs: number, sweep: () => Promise<number | void>, fullAt?: number): Sweeper =>
    createSweeper({ name, everyMs: sweepMs ?? everyMs, sweep, fullAt, log });
  return {
    rates,
    collection,
    metrics: createRatingMetrics(parts.telemetry),
    loadRates,
    sweepers: [
      sweeper('rates', config.rateRefreshMs, loadRates),
      sweeper('reservations', pauses.reservations, () => expireHolds(database, now()), 500),
      sweeper('overdue', pauses.overdue, () => passDueCharges(collection), 500),
      sweeper('provider tasks', pauses.provider, () => performDueTasks(collection), 20),
      sweeper('idempotency keys', pauses.keys, () => deleteExpiredKeys(database, now(), 500), 500),
      sweeper('customers', pauses.provider, () => tellUntold(collection), 20),
    ],
  };
}

/** For a deployment that has no rates at all yet. */
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

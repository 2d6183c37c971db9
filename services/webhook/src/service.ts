import { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import type { Config } from './config';
import { createAttemptSpans } from './delivery/attempt-spans';
import { createDeliveryEngine } from './delivery/engine';
import type { Lookup } from './delivery/host-lookup';
import { createDeliveryMetrics } from './delivery/metrics';
import { createQueueMetrics } from './delivery/queue-metrics';
import { createSender } from './delivery/sender';
import { createSecretVault } from './domain/secret-vault';
import { deliveriesRecorded } from './events/published';
import { callEvents } from './events/on-call-events';
import { onUserDeleted } from './events/on-user-deleted';
import { createUnsentNotes } from './events/unsent-notes';
import { createPartitionKeeper } from './partition-keeper';
import { createHandlers } from './rpc/handlers';
import { createHousekeeping } from './storage/housekeeping';
import { addUnsentCounts } from './storage/unsent-counts';

export interface Overrides {
  log?: Logger;
  now?: () => Date;
  /** Resolves host names. */
  lookup?: Lookup;
  /** Certificate authorities of receivers, instead of those that Node knows. */
  ca?: string;
}

export function createService(config: Config, overrides: Overrides = {}): Service {
  return createChassis({
    name: 'webhook',
    config: config.chassis,
    log: overrides.log,
    definition: WebhookServiceService,
    assemble: (parts) => assemble(config, parts, overrides),
  });
}

function assemble(config: Config, parts: ChassisParts, { now = () => new Date(), lookup, ca }: Overrides) {
  const { database, outbox, telemetry, log } = parts;
  const { allowPrivate, timeoutMs, leaseMs, maximumIntegrations } = config;
  const vault = createSecretVault(config.secretKeys);
  const engine = createDeliveryEngine({
    database,
    vault,
    sender: createSender({ allowPrivate, timeoutMs, now, lookup, ca }),
    outbox,
    metrics: createDeliveryMetrics(telemetry),
    beginAttempt: createAttemptSpans(telemetry.tracer),
    log,
    now,
    leaseMs,
  });
  const unsentNotes = createUnsentNotes();
  const saveUnsent = async () => {
    const counts = unsentNotes.take();
    await addUnsentCounts(database, counts).catch((error: unknown) => {
      unsentNotes.giveBack(counts);
      throw error;
    });
  };
  const workers = [
    engine,
    createPeriodicWork({ name: 'counts of events that were not sent', everyMs: 5_000, work: saveUnsent, log }),
    createPeriodicWork({
      name: 'housekeeping',
      everyMs: 600_000,
      work: createHousekeeping({
        ...{ database, vault, log, now },
        tellDead: (tx, dead) => outbox.write(tx, deliveriesRecorded(dead, now())),
      }),
      log,
    }),
    createPeriodicWork({
      name: 'partitions',
      everyMs: 600_000,
      work: createPartitionKeeper({ database, log, now }),
      log,
    }),
    createPeriodicWork({
      name: 'length of the queue',
      everyMs: 5_000,
      work: createQueueMetrics({ database, meter: telemetry.meter, now }),
      log,
    }),
  ];

  return {
    handlers: createHandlers({ database, vault, allowPrivate, maximumIntegrations, now, poke: () => engine.poke() }),
    consumers: [callEvents({ outbox, log, now, forwarder: engine, unsentNotes }), onUserDeleted({ outbox, log, now })],
    start() {
      if (config.secretKeys.length === 0) {
        log.warn('WEBHOOK_KEYS is not set: the secrets of webhooks are stored without encryption');
      }
      workers.forEach((worker) => worker.start());
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await saveUnsent().catch((error: unknown) =>
        log.warn({ err: error }, 'counts of events that were not sent are lost'),
      );
    },
  };
}

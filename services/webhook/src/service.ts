import { WebhookServiceService } from '@sabia/protos/sabia/webhook/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import type { Config } from './config';
import { createAttemptSpans } from './delivery/attempt-spans';
import { createDeliveryEngine } from './delivery/engine';
import type { DeliveryEngine } from './delivery/engine';
import type { Lookup } from './delivery/host-lookup';
import { createDeliveryMetrics } from './delivery/metrics';
import { createQueueMetrics } from './delivery/queue-metrics';
import type { QueueMetrics } from './delivery/queue-metrics';
import { createSender } from './delivery/sender';
import { createSecretVault } from './domain/secret-vault';
import { callEvents } from './events/on-call-events';
import { onUserDeleted } from './events/on-user-deleted';
import { createHandlers } from './rpc/handlers';
import { createHousekeeping } from './storage/housekeeping';
import type { Housekeeping } from './storage/housekeeping';

export interface Overrides {
  log?: Logger;
  now?: () => Date;
  /** Of host names. */
  lookup?: Lookup;
  /** Certificate authorities of receivers, instead of those that Node knows. */
  ca?: string;
}

export function createService(config: Config, { log, now = () => new Date(), lookup, ca }: Overrides = {}): Service {
  const vault = createSecretVault(config.secretKeys);
  const { allowPrivate, timeoutMs, leaseMs } = config;
  let engine: DeliveryEngine | undefined;
  let housekeeping: Housekeeping | undefined;
  let queue: QueueMetrics | undefined;
  const poke = () => engine?.poke();

  function startEngine({ database, outbox, telemetry, log: serviceLog }: ChassisParts): void {
    engine = createDeliveryEngine({
      database,
      vault,
      sender: createSender({ allowPrivate, timeoutMs, now, lookup, ca }),
      outbox,
      metrics: createDeliveryMetrics(telemetry),
      beginAttempt: createAttemptSpans(telemetry.tracer),
      log: serviceLog,
      now,
      leaseMs,
    });
    engine.start();
  }

  return createChassis({
    name: 'webhook',
    config: config.chassis,
    log,
    definition: WebhookServiceService,
    handlers: ({ database }) => createHandlers({ database, vault, allowPrivate, now, poke }),
    consumers: ({ outbox, log: serviceLog }) => [
      callEvents({ log: serviceLog, now, forwarder: () => engine }),
      onUserDeleted({ outbox, log: serviceLog, now }),
    ],
    start: (parts) => {
      if (config.secretKeys.length === 0) {
        parts.log.warn('WEBHOOK_KEYS is not set: the secrets of webhooks are stored without encryption');
      }
      startEngine(parts);
      housekeeping = createHousekeeping({ database: parts.database, vault, log: parts.log, now });
      housekeeping.start();
      queue = createQueueMetrics({ ...parts, meter: parts.telemetry.meter, now });
      queue.start();
    },
    stop: async () => {
      await Promise.all([engine?.stop(), housekeeping?.stop(), queue?.stop()]);
    },
  });
}

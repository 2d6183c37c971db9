import type { Meter } from '@opentelemetry/api';
import type { Logger } from '@sabia/service-kit/logging';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { measureQueue, mostCounted } from '../storage/queue-length';
import type { QueueLength } from '../storage/queue-length';

export interface QueueMetrics {
  start(): void;
  stop(): Promise<void>;
}

export interface QueueMetricsOptions {
  database: Queryable;
  meter: Meter;
  log: Logger;
  now: () => Date;
}

const everyMs = 5_000;

/** Looked up now and then, and not when somebody reads: he must not wait for a database that is away. */
export function createQueueMetrics({ database, meter, log, now }: QueueMetricsOptions): QueueMetrics {
  let length: QueueLength = { waiting: 0, overdueSeconds: 0 };
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  meter
    .createObservableGauge('sabia_webhook_waiting', {
      description: `Deliveries that are not finished, up to ${mostCounted}`,
    })
    .addCallback((result) => result.observe(length.waiting));
  meter
    .createObservableGauge('sabia_webhook_overdue_seconds', {
      description: 'For how long the oldest delivery to a receiver without trouble has been due',
    })
    .addCallback((result) => result.observe(length.overdueSeconds));

  async function look(): Promise<void> {
    try {
      length = await measureQueue(database, now());
    } catch (error) {
      log.debug({ err: error }, 'the queue of deliveries cannot be measured just now');
    } finally {
      looking = undefined;
    }
  }

  return {
    start() {
      timer = setInterval(() => void (looking ??= look()), everyMs);
    },
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

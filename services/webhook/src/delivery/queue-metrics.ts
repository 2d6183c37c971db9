import type { Meter } from '@opentelemetry/api';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { measureQueue, mostCounted } from '../storage/queue-length';
import type { QueueLength } from '../storage/queue-length';

export interface QueueMetricsOptions {
  database: Queryable;
  meter: Meter;
  now: () => Date;
}

/** Answers one measurement of the queue, for periodic work: a reader of metrics must not wait for a database that is away. */
export function createQueueMetrics({ database, meter, now }: QueueMetricsOptions): () => Promise<void> {
  let length: QueueLength = { waiting: 0, overdueSeconds: 0 };

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

  return async () => {
    length = await measureQueue(database, now());
  };
}

import type { Meter } from '@opentelemetry/api';

export interface RelayMetrics {
  published(types: string[]): void;
  refused(count: number): void;
  /** Copies for accounts that the stream of live events has refused for too long. */
  dropped(count: number): void;
  /** Sets the time of the oldest unpublished event; undefined when the outbox is empty. */
  oldest(occurredAt: Date | undefined): void;
  stop(): void;
}

export function createRelayMetrics(meter: Meter, now: () => Date = () => new Date()): RelayMetrics {
  const publishedEvents = meter.createCounter('sabia_outbox_published_events', {
    description: 'Events stored by JetStream, by type',
  });
  const refusedEvents = meter.createCounter('sabia_outbox_refused_events', {
    description: 'Publishes that JetStream refused or did not answer; they are tried again',
  });
  const droppedCopies = meter.createCounter('sabia_outbox_dropped_live_events', {
    description: 'Events that accounts are not told live, because that stream refused them for too long',
  });
  const lag = meter.createObservableGauge('sabia_outbox_lag_seconds', {
    description: 'Age of the oldest unpublished event, reported by the replica whose relay is active',
  });
  let oldestAt: Date | undefined;
  const observe: Parameters<typeof lag.addCallback>[0] = (result) => {
    result.observe(oldestAt === undefined ? 0 : Math.max(0, (now().getTime() - oldestAt.getTime()) / 1000));
  };
  lag.addCallback(observe);
  return {
    published(types) {
      const counts = new Map<string, number>();
      for (const type of types) {
        counts.set(type, (counts.get(type) ?? 0) + 1);
      }
      counts.forEach((count, type) => publishedEvents.add(count, { type }));
    },
    refused: (count) => refusedEvents.add(count),
    dropped: (count) => droppedCopies.add(count),
    oldest: (occurredAt) => {
      oldestAt = occurredAt;
    },
    stop: () => lag.removeCallback(observe),
  };
}

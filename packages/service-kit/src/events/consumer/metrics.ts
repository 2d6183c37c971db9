import type { Meter } from '@opentelemetry/api';

export type Outcome = 'handled' | 'duplicate' | 'failed' | 'retried_later' | 'dead';

export interface ConsumerMetrics {
  count(type: string, outcome: Outcome, many?: number): void;
  /** Records the time from the event to the commit of its effect. */
  delay(type: string, seconds: number): void;
}

export function createConsumerMetrics(meter: Meter, consumer: string, types: readonly string[] = []): ConsumerMetrics {
  const events = meter.createCounter('sabia_consumed_events', {
    description: 'Events by what became of them; one that fails is counted for every try',
  });
  const deadLetters = meter.createCounter('sabia_dead_letters', {
    description: 'Events given up after their last try; each one needs an operator',
  });
  const delays = meter.createHistogram('sabia_event_delay_seconds', {
    description: 'From the moment an event happened to the moment its effect was committed',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600] },
  });
  // A series must start at 0: an alert on its increase would miss a first value of 1.
  for (const type of types) {
    deadLetters.add(0, { consumer, type });
  }
  return {
    count(type, outcome, many = 1) {
      events.add(many, { consumer, type, outcome });
      if (outcome === 'dead') {
        deadLetters.add(many, { consumer, type });
      }
    },
    delay: (type, seconds) => delays.record(seconds, { consumer, type }),
  };
}

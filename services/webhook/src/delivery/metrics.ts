import type { Telemetry } from '@sabia/service-kit/telemetry';

export interface DeliveryMetrics {
  count(outcome: string, latencyMs: number): void;
}

export function createDeliveryMetrics({ meter }: Telemetry): DeliveryMetrics {
  // Added up here and read on collection: the meter would look up the series by its labels for every single addition.
  const totals = new Map<string, number>();
  meter
    .createObservableCounter('sabia_webhook_attempts', {
      description: 'Attempts at delivering a webhook, by outcome',
    })
    .addCallback((result) => totals.forEach((total, outcome) => result.observe(total, { outcome })));
  const latency = meter.createHistogram('sabia_webhook_attempt_duration_seconds', {
    description: 'From the request to the status of the answer',
    unit: 's',
  });
  return {
    count(outcome, latencyMs) {
      totals.set(outcome, (totals.get(outcome) ?? 0) + 1);
      latency.record(latencyMs / 1000, { outcome });
    },
  };
}

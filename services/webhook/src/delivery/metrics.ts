import type { Telemetry } from '@sabia/service-kit/telemetry';

export interface DeliveryMetrics {
  count(outcome: string, latencyMs: number): void;
}

export function createDeliveryMetrics({ meter }: Telemetry): DeliveryMetrics {
  const attempts = meter.createCounter('sabia_webhook_attempts', {
    description: 'Attempts at delivering a webhook, by what came of them',
  });
  const latency = meter.createHistogram('sabia_webhook_attempt_duration_seconds', {
    description: 'From the request to the status of the answer',
    unit: 's',
  });
  return {
    count(outcome, latencyMs) {
      attempts.add(1, { outcome });
      latency.record(latencyMs / 1000, { outcome });
    },
  };
}

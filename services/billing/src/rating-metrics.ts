import type { Telemetry } from '@sabia/service-kit/telemetry';
import type { Money } from './domain/money';
import { unitsPerReal } from './domain/money';
import type { RatedCall } from './domain/reservation';

export interface RatingMetrics {
  /** To be called after the commit. */
  booked(calls: readonly Pick<RatedCall, 'price'>[], unpaid: readonly { uncollected: Money }[]): void;
}

export function createRatingMetrics({ meter }: Pick<Telemetry, 'meter'>): RatingMetrics {
  const rated = meter.createCounter('sabia_rated_reais', { description: 'What was booked for calls, in reais' });
  const uncollected = meter.createCounter('sabia_uncollected_reais', {
    description: 'What calls would have cost beyond what was reserved for them, in reais',
  });
  rated.add(0);
  uncollected.add(0);
  return {
    booked(calls, unpaid) {
      rated.add(calls.reduce((sum, { price }) => sum + price, 0) / unitsPerReal);
      uncollected.add(unpaid.reduce((sum, call) => sum + call.uncollected, 0) / unitsPerReal);
    },
  };
}

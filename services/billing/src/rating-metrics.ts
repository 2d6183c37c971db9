import type { Telemetry } from '@sabia/service-kit/telemetry';
import { unitsPerReal } from './domain/money';
import type { RatedCall } from './domain/reservation';

export interface RatingMetrics {
  /** Once it is committed. */
  booked(calls: readonly Pick<RatedCall, 'price'>[]): void;
}

export function createRatingMetrics({ meter }: Pick<Telemetry, 'meter'>): RatingMetrics {
  const reais = meter.createCounter('sabia_rated_reais', { description: 'What was booked for calls, in reais' });
  reais.add(0);
  return {
    booked: (calls) => reais.add(calls.reduce((sum, { price }) => sum + price, 0) / unitsPerReal),
  };
}

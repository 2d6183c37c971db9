import { Badge } from '../components/ui/badge';
import { formatNumber } from '../i18n/format';
import { m } from '../paraglide/messages';
import type { QualityReport } from './engine/quality';
import { ratingInWords } from './words';

const tones = { good: 'good', fair: 'warn', poor: 'bad' } as const;

/** How well the other side is heard right now. */
export function Quality({ report: { rating, loss, jitterMs, roundTripMs } }: { report: QualityReport }) {
  const figures = [
    [m.phone_quality_loss(), formatNumber(loss, { style: 'percent', maximumFractionDigits: 1 })],
    [m.phone_quality_jitter(), `${jitterMs} ms`],
    [m.phone_quality_round_trip(), roundTripMs === undefined ? '–' : `${roundTripMs} ms`],
  ] as const;
  return (
    <div className="grid gap-2 text-xs">
      <Badge tone={tones[rating]} className="justify-self-center">
        {ratingInWords(rating)}
      </Badge>
      <dl className="grid grid-cols-3 gap-2 text-center">
        {figures.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-soft">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

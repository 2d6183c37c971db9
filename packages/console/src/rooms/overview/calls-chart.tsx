import type { CallFigures } from '@sabia/client';
import { lazy, Suspense, useMemo } from 'react';
import { Card, CardHead } from '../../components/ui/card';
import { formatDateTime, timeZone } from '../../i18n/format';
import { m } from '../../paraglide/messages';

/** Loaded after the figures, which are worth more to a reader who has just arrived. */
const BarChart = lazy(async () => ({ default: (await import('../../components/charts/bar-chart')).BarChart }));
const HEIGHT = 220;

export function CallsChart({ buckets, hourly }: { buckets: CallFigures[]; hourly: boolean }) {
  const times = useMemo(() => buckets.map(({ at }) => new Date(at ?? 0).getTime() / 1000), [buckets]);
  const series = useMemo(
    () => [
      { label: m.overview_chart_all(), colour: 'edge', values: buckets.map(({ calls }) => calls) },
      { label: m.overview_chart_answered(), colour: 'accent', values: buckets.map(({ answered }) => answered) },
    ],
    [buckets],
  );
  const isEmpty = buckets.every(({ calls }) => calls === 0);
  const title = hourly ? m.overview_chart_hourly() : m.overview_chart_daily();
  return (
    <Card>
      <CardHead
        title={title}
        actions={series.map(({ label, colour }) => (
          <span key={label} className="flex items-center gap-1.5 text-sm text-soft">
            <svg viewBox="0 0 10 10" className="size-2.5" aria-hidden>
              <rect width="10" height="10" rx="2" fill={`var(--${colour})`} />
            </svg>
            {label}
          </span>
        ))}
      />
      <div className="relative">
        <Suspense fallback={<div style={{ height: HEIGHT }} />}>
          <BarChart times={times} series={series} timeZone={timeZone()} height={HEIGHT} label={title} />
        </Suspense>
        {isEmpty && (
          <p className="pointer-events-none absolute inset-0 grid place-items-center pb-8 pl-11 text-center text-sm text-soft">
            {m.overview_chart_empty()}
          </p>
        )}
      </div>
      <FiguresAsTable buckets={buckets} hourly={hourly} title={title} />
    </Card>
  );
}

/** The figures of the chart for those who cannot see it. */
function FiguresAsTable({ buckets, hourly, title }: { buckets: CallFigures[]; hourly: boolean; title: string }) {
  return (
    <table className="sr-only">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{m.overview_chart_time()}</th>
          <th scope="col">{m.overview_chart_all()}</th>
          <th scope="col">{m.overview_chart_answered()}</th>
        </tr>
      </thead>
      <tbody>
        {buckets
          .filter(({ calls }) => calls > 0)
          .map(({ at, calls, answered }) => (
            <tr key={at}>
              <th scope="row">
                {formatDateTime(at!, hourly ? { dateStyle: 'short', timeStyle: 'short' } : { dateStyle: 'short' })}
              </th>
              <td>{calls}</td>
              <td>{answered}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

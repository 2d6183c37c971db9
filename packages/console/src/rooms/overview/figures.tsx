import type { CallFigures } from '@sabia/client';
import { cn } from '../../components/class-names';
import { cardStyle } from '../../components/ui/card';
import { formatDuration, formatMoney, formatNumber } from '../../i18n/format';
import { m } from '../../paraglide/messages';

const asPercent = { style: 'percent', maximumFractionDigits: 0 } as const;

export function Figures({ total }: { total: CallFigures }) {
  const figures = [
    {
      name: m.overview_calls(),
      value: formatNumber(total.calls),
      more: m.overview_live({ count: formatNumber(total.live) }),
    },
    {
      name: m.overview_answer_rate(),
      value: total.answerRate === null ? '–' : formatNumber(total.answerRate, asPercent),
      more: m.overview_answered({ count: formatNumber(total.answered) }),
    },
    {
      name: m.overview_average_duration(),
      value: total.averageDuration === null ? '–' : formatDuration(total.averageDuration),
      more: m.overview_talk_time({ time: formatDuration(total.talkSeconds) }),
    },
    { name: m.overview_spend(), value: formatMoney(total.spend), more: m.overview_spend_note() },
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-5">
      {figures.map(({ name, value, more }) => (
        <div key={name} className={cn(cardStyle, 'p-4')}>
          <dt className="text-sm text-soft">{name}</dt>
          <dd className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">{value}</dd>
          <dd className="mt-0.5 text-sm text-soft">{more}</dd>
        </div>
      ))}
    </dl>
  );
}

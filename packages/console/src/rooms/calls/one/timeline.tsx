import type { TimelineEntry } from '@sabia/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { CircleStop, Coins, Mic, PhoneCall, Play, Webhook } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { Card, CardHead } from '../../../components/ui/card';
import { ErrorView, Loading } from '../../../components/ui/state-views';
import { formatNumber, formatTime } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { stepNotes } from './step-notes';
import { isStep, stepWords } from './step-words';

const icons: Record<string, LucideIcon> = {
  request: Play,
  leg: PhoneCall,
  cause: CircleStop,
  credit: Coins,
  recording: Mic,
  delivery: Webhook,
};

interface TimelineProps {
  query: UseQueryResult<TimelineEntry[]>;
  startedAt: string;
}

export function Timeline({ query: { data, error, refetch }, startedAt }: TimelineProps) {
  return (
    <Card>
      <CardHead title={m.calls_timeline()} />
      {data === undefined &&
        (error === null ? <Loading /> : <ErrorView error={error} onRetry={() => void refetch()} />)}
      <ol aria-label={m.calls_timeline()} className="grid">
        {data?.filter(isStep).map((entry, index) => (
          <Step key={`${entry.at} ${index}`} entry={entry} startedAt={startedAt} />
        ))}
      </ol>
    </Card>
  );
}

function Step({ entry, startedAt }: { entry: TimelineEntry; startedAt: string }) {
  const Icon = icons[entry.kind] ?? PhoneCall;
  const at = entry.at ?? startedAt;
  const seconds = (Date.parse(at) - Date.parse(startedAt)) / 1_000;
  const notes = stepNotes(entry);
  return (
    <li className="group relative flex gap-3 pb-4 last:pb-0">
      <span className="absolute top-7 bottom-0 left-3.5 w-px bg-line group-last:hidden" aria-hidden />
      <span className="grid size-7 shrink-0 place-items-center rounded-full bg-sunken text-soft">
        <Icon className="size-3.5" aria-hidden />
      </span>
      <div className="min-w-0 flex-1 pt-0.5">
        <div className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span>{stepWords(entry)}</span>
          <span className="text-xs text-soft tabular-nums">
            <time dateTime={at}>{formatTime(at)}</time>
            {' · '}+{formatNumber(Math.max(0, seconds), { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s
          </span>
        </div>
        {notes.length > 0 && <p className="text-xs [overflow-wrap:anywhere] text-soft">{notes.join(' · ')}</p>}
      </div>
    </li>
  );
}

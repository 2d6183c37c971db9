import type { TimelineEntry } from '@sabia/client';
import { cn } from '../../../components/class-names';
import { formatDuration, formatNumber, formatTime } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import type { Call } from '../call-queries';
import { isLive } from '../call-words';
import { useServerNow } from '../ticking-duration';
import { phasesOf } from './phases-of';
import type { Phase } from './phases-of';

const names: Record<Phase['name'], () => string> = {
  caller: m.calls_phase_caller,
  destination: m.calls_phase_destination,
  talk: m.calls_phase_talk,
};
const colours: Record<Phase['name'], string> = { caller: 'bg-info', destination: 'bg-warn', talk: 'bg-good' };

/** The short phases stay wide enough for their names. */
const LEAST_SHARE = 0.5;

/** A few seconds are told with a decimal: whether a phone rang for 0.2 or 0.9 s matters. */
function lengthOf(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds >= 10) return formatDuration(seconds);
  return m.calls_seconds_short({ seconds: formatNumber(seconds, { maximumFractionDigits: 1 }) });
}

export function Phases({ call, entries }: { call: Call; entries: readonly TimelineEntry[] }) {
  const live = isLive(call);
  const now = useServerNow(live);
  const phases = phasesOf(call, entries, now);
  const whole = phases.reduce((sum, { from, to }) => sum + to - from, 0);
  return (
    <ol aria-label={m.calls_phases()} className="flex gap-1">
      {phases.map(({ name, from, to }, index) => {
        const lasts = live && index === phases.length - 1;
        const share = whole === 0 ? 1 : (to - from) / whole;
        return (
          <li key={name} className="min-w-0 basis-0 transition-[flex-grow]" style={{ flexGrow: LEAST_SHARE + share }}>
            <div className={cn('h-2 rounded-full', colours[name], lasts && 'animate-pulse')} />
            <p className="mt-1.5 text-xs leading-tight font-medium sm:text-sm">{names[name]()}</p>
            <p className="text-xs text-soft tabular-nums">
              {lengthOf(to - from)}
              <span className="hidden sm:inline"> · {formatTime(new Date(from).toISOString())}</span>
            </p>
          </li>
        );
      })}
    </ol>
  );
}

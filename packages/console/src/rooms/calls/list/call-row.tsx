import { Mic } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'react-router';
import { cn } from '../../../components/class-names';
import { formatDateTime, formatDuration, formatMoney } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { DialLink } from '../../../phone/dial-link';
import { formatPhoneNumber } from '../../../phone/phone-number';
import type { Call } from '../call-queries';
import { callerOf, isLive, personOf } from '../call-words';
import { StateBadge } from '../state-badge';
import { TickingDuration } from '../ticking-duration';

/** From md on a row of a table; below, a card of two lines. */
export const columns =
  'grid items-center gap-x-2 px-3 md:gap-x-4 md:px-4 grid-cols-[minmax(0,1fr)_auto] md:grid-cols-[9.25rem_minmax(6rem,1fr)_10.5rem_minmax(8rem,11.5rem)_4.5rem_6rem_1.5rem]';

/** Drawn again only when its call changes: scrolling moves rows many times a second. */
export const CallRow = memo(function CallRow({ call }: { call: Call | undefined }) {
  if (call === undefined) return <SkeletonRow />;
  const { id, to, started_at } = call;
  const from = callerOf(call);
  const when = shortDateTime(started_at ?? '');
  return (
    <div className={cn(columns, 'relative h-full border-b hover:bg-sunken')}>
      <span role="cell" className="order-3 text-sm whitespace-nowrap text-soft md:order-none md:text-ink">
        <Link
          to={`/calls/${id}`}
          aria-label={m.calls_row_open({ from, to, when })}
          className="tabular-nums after:absolute after:inset-0 after:content-['']"
        >
          {when}
        </Link>
        <span className="md:hidden"> · {from}</span>
      </span>
      <span role="cell" className="hidden min-w-0 truncate md:block" title={personOf(call)}>
        <span className="font-medium">{from}</span>
        <span className="ml-2 text-sm text-soft">{personOf(call)}</span>
      </span>
      <span role="cell" className="order-1 min-w-0 truncate font-medium md:order-none">
        {/* On a card, a tap on the number would call by mistake; the call's own page has the link. */}
        <span className="md:hidden">{formatPhoneNumber(to)}</span>
        <span className="relative z-10 hidden md:inline">
          <DialLink number={to} />
        </span>
      </span>
      <span role="cell" className="order-2 min-w-0 justify-self-end md:order-none md:justify-self-start">
        <StateBadge call={call} />
      </span>
      <span role="cell" className="hidden text-right tabular-nums md:block">
        <Duration call={call} />
      </span>
      <span role="cell" className="order-4 text-right text-sm text-soft tabular-nums md:order-none md:text-ink">
        {(isLive(call) || call.answered_at !== null) && (
          <span className="md:hidden">
            <Duration call={call} />
            {call.call_price !== null && ' · '}
          </span>
        )}
        <Price call={call} />
      </span>
      <span role="cell" className="hidden text-soft md:block">
        {call.record_url !== null && <Mic className="size-4" role="img" aria-label={m.calls_recorded_mark()} />}
      </span>
    </div>
  );
});

/** The year is told only where it is another one. */
function shortDateTime(iso: string): string {
  const isThisYear = iso.slice(0, 4) === String(new Date().getFullYear());
  const year = isThisYear ? undefined : '2-digit';
  return formatDateTime(iso, {
    day: '2-digit',
    month: '2-digit',
    year,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}

function Duration({ call }: { call: Call }) {
  if (isLive(call)) return <TickingDuration since={call.answered_at ?? call.started_at ?? ''} />;
  return call.answered_at === null ? <span className="text-soft">–</span> : formatDuration(call.duration);
}

function Price({ call }: { call: Call }) {
  if (call.call_price !== null) return formatMoney(call.call_price);
  return <span className="hidden text-soft md:inline">–</span>;
}

function SkeletonRow() {
  return (
    <div className={cn(columns, 'h-full border-b')}>
      <span role="cell" className="col-span-full">
        <span className="sr-only">{m.calls_row_loading()}</span>
        <span className="block h-4 w-2/3 animate-pulse rounded bg-sunken" aria-hidden />
      </span>
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { Link } from 'react-router';
import { Card } from '../../../components/ui/card';
import { ErrorView } from '../../../components/ui/state-views';
import { useLiveState } from '../../../live/live-provider';
import { m } from '../../../paraglide/messages';
import { formatDateTime, formatNumber } from '../../../i18n/format';
import { DialLink } from '../../../phone/dial-link';
import { liveCallsQuery } from '../call-queries';
import type { Call } from '../call-queries';
import { callerOf, personOf } from '../call-words';
import { HangUpButton } from '../hang-up-button';
import { StateBadge } from '../state-badge';
import { TickingDuration } from '../ticking-duration';

/** More would push the list out of sight; the list below has them all. */
const SHOWN = 8;

export function LiveCalls() {
  const { data: calls, error, refetch } = useQuery(liveCallsQuery(useLiveState()));
  if (error !== null && calls === undefined) return <ErrorView error={error} onRetry={() => void refetch()} />;
  const all = calls ?? [];
  return (
    <Card className="p-0">
      <div className="flex flex-wrap items-baseline gap-x-3 px-5 py-3">
        <h2 id="live-calls" className="text-base font-semibold">
          {m.calls_live_title()}
        </h2>
        <p role="status" className="text-sm text-soft">
          {calls?.length === 0 ? m.calls_live_none() : formatNumber(all.length)}
        </p>
      </div>
      <ul aria-labelledby="live-calls" className="divide-y border-t empty:hidden">
        {all.slice(0, SHOWN).map((call) => (
          <LiveCall key={call.id} call={call} />
        ))}
      </ul>
      {all.length > SHOWN && (
        <p className="border-t px-5 py-3 text-sm text-soft">
          {m.calls_live_more({ count: formatNumber(all.length - SHOWN) })}
        </p>
      )}
    </Card>
  );
}

function LiveCall({ call }: { call: Call }) {
  const { id, to, started_at, answered_at } = call;
  const from = callerOf(call);
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-2.5 hover:bg-sunken">
      <div className="w-28 shrink-0">
        <StateBadge call={call} />
      </div>
      <Link
        to={`/calls/${id}`}
        aria-label={m.calls_row_open({ from, to, when: formatDateTime(started_at ?? '') })}
        className="absolute inset-0"
      />
      <span className="flex min-w-0 items-center gap-2 font-medium">
        <span>{from}</span>
        <ArrowRight className="size-4 shrink-0 text-soft" aria-hidden />
        <DialLink number={to} className="relative" />
      </span>
      <span className="hidden min-w-0 flex-1 truncate text-sm text-soft sm:block" title={personOf(call)}>
        {personOf(call)}
      </span>
      <div className="relative ml-auto flex items-center gap-4">
        <TickingDuration since={answered_at ?? started_at ?? ''} />
        <HangUpButton call={call} />
      </div>
    </li>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router';
import { isNotFound } from '../../../api/errors';
import { ErrorView, Loading } from '../../../components/ui/state-views';
import { NotFound } from '../../../layout/not-found';
import { Page } from '../../../layout/page';
import { useLiveState } from '../../../live/live-provider';
import { m } from '../../../paraglide/messages';
import { formatPhoneNumber } from '../../../phone/phone-number';
import { callQuery, timelineQuery } from '../call-queries';
import { callerOf } from '../call-words';
import { CallActions, CallSummary } from './call-header';
import { CauseCard } from './cause-card';
import { DeliveriesCard } from './deliveries-card';
import { DetailsCard } from './details-card';
import { serverNow } from '../../../api/server-clock';
import { MoneyCard } from './money-card';
import { LadderCard } from './ladder-card';
import { MetadataCard } from './metadata-card';
import { Phases } from './phases';
import { RecordingCard } from './recording-card';
import { Timeline } from './timeline';

/** Messages, webhooks and the price of a call follow its end; where no events tell of them, they are asked for this long. */
const SETTLING_MS = 30_000;

/** Everything about one call, alive while it happens. */
export function Component() {
  const { id = '' } = useParams();
  const live = useLiveState();
  const { data: call, error, refetch } = useQuery(callQuery(id, live));
  const settled = live || (call?.ended_at != null && serverNow() - Date.parse(call.ended_at) > SETTLING_MS);
  const timeline = useQuery({ ...timelineQuery(id, settled), enabled: call !== undefined });
  if (isNotFound(error)) return <NotFound />;
  if (call === undefined) return error ? <ErrorView error={error} onRetry={() => void refetch()} /> : <Loading />;
  // The id that POST /dialer answers leads here, too.
  if (call.id !== id) return <Navigate to={`/calls/${call.id}`} replace />;
  const entries = timeline.data ?? [];
  return (
    <Page
      title={m.calls_call_title({ from: callerOf(call), to: formatPhoneNumber(call.to) })}
      description={<CallSummary call={call} />}
      actions={<CallActions call={call} />}
    >
      <Phases call={call} entries={entries} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
        <div className="grid content-start gap-5">
          <CauseCard call={call} />
          <RecordingCard call={call} />
        </div>
        <div className="grid content-start gap-5 lg:col-start-2 lg:row-span-2">
          <MoneyCard call={call} settled={live || call.call_price !== null} />
          <DetailsCard call={call} />
          <MetadataCard metadata={call.metadata} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-5 lg:col-start-1 lg:row-start-2">
          <Timeline query={timeline} startedAt={call.started_at ?? ''} />
          <DeliveriesCard call={call} settled={settled} />
          <LadderCard call={call} settled={settled} />
        </div>
      </div>
    </Page>
  );
}

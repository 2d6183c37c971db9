import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { sabia } from '../../api/client';
import { ToggleGroup } from '../../components/ui/toggle-group';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { timeZone, zoneName } from '../../i18n/format';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { CallsChart } from './calls-chart';
import { Causes } from './causes';
import { Checklist } from './checklist';
import { Figures } from './figures';
import { boundsOf, periods, readPeriod } from './period';
import type { Period } from './period';
import { ShortCalls } from './short-calls';

const periodNames: Record<Period, () => string> = {
  today: m.overview_today,
  week: m.overview_week,
  month: m.overview_month,
};

export function Component() {
  const [search, setSearch] = useSearchParams();
  const period = readPeriod(search.get('period'));
  const summary = useQuery({
    queryKey: ['overview', 'summary', period],
    queryFn: () => sabia.calls.summary(boundsOf(period, timeZone(), new Date())),
    placeholderData: (previous) => previous,
  });
  return (
    <Page
      title={m.shell_nav_overview()}
      description={zoneName()}
      actions={
        <ToggleGroup
          label={m.overview_period()}
          value={period}
          onChange={(chosen) => setSearch({ period: chosen }, { replace: true })}
          choices={periods.map((value) => ({ value, label: periodNames[value]() }))}
        />
      }
    >
      <Checklist />
      {summary.error && <ErrorView error={summary.error} onRetry={() => void summary.refetch()} />}
      {summary.isPending && <Loading />}
      {summary.data && (
        <>
          <Figures total={summary.data.total} />
          <CallsChart buckets={summary.data.buckets} hourly={summary.data.interval === 'HOUR'} />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-2">
            <Causes causes={summary.data.causes} />
            <ShortCalls total={summary.data.total} />
          </div>
        </>
      )}
    </Page>
  );
}

import { Download } from 'lucide-react';
import { buttonStyle } from '../../components/ui/button';
import { zoneName } from '../../i18n/format';
import { Page } from '../../layout/page';
import { m } from '../../paraglide/messages';
import { toQuery } from './filters/call-filters';
import { FilterBar } from './filters/filter-bar';
import { useCallFilters } from './filters/use-call-filters';
import { CallList } from './list/call-list';
import { LiveCalls } from './list/live-calls';

export function Component() {
  const changes = useCallFilters();
  const exported = new URLSearchParams(toQuery({ ...changes.filters, order: undefined })).toString();
  return (
    <Page
      title={m.calls_title()}
      description={zoneName()}
      actions={
        <a
          href={`/api/v1/calls/export${exported === '' ? '' : `?${exported}`}`}
          download
          title={m.calls_export_hint()}
          className={buttonStyle({ look: 'plain' })}
        >
          <Download aria-hidden />
          {m.calls_export()}
        </a>
      }
    >
      <LiveCalls />
      <FilterBar changes={changes} />
      <CallList filters={changes.filters} />
    </Page>
  );
}

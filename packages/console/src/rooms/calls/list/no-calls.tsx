import { Phone } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { Button } from '../../../components/ui/button';
import { EmptyView } from '../../../components/ui/state-views';
import { m } from '../../../paraglide/messages';
import { useDockState } from '../../../phone/dock-state';
import { isFiltered } from '../filters/call-filters';
import type { CallFilters } from '../filters/call-filters';

export function NoCalls({ filters }: { filters: CallFilters }) {
  const [, setSearch] = useSearchParams();
  const { askForNumber } = useDockState();
  if (!isFiltered(filters)) {
    const placeFirst = (
      <Button look="primary" onClick={askForNumber}>
        <Phone aria-hidden />
        {m.calls_empty_action()}
      </Button>
    );
    return (
      <EmptyView title={m.calls_empty_title()} action={placeFirst}>
        {m.calls_empty_text()}
      </EmptyView>
    );
  }
  return (
    <EmptyView
      title={m.calls_none_found_title()}
      action={<Button onClick={() => setSearch({})}>{m.calls_filter_clear()}</Button>}
    >
      {m.calls_none_found_text()}
    </EmptyView>
  );
}

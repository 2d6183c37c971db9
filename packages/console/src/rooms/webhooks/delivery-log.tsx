import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../../components/ui/button';
import { Card, CardHead } from '../../components/ui/card';
import { SelectField, TextField } from '../../components/ui/field';
import { Pagination } from '../../components/ui/pagination';
import { EmptyView, ErrorView, Loading } from '../../components/ui/state-views';
import { formatDateTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { DeliveryDetails } from './delivery-details';
import { DeliveryState, deliveryStateName, deliveryStates } from './delivery-state';
import { webhookTypes } from './integration-settings';
import { useDeliveries } from './queries';
import type { Delivery } from './queries';
import { ReplaySpan } from './replay-span';

const names = ['status', 'eventType', 'callId'] as const;

/** What was sent, what was not, and why; its filters are in the address bar. */
export function DeliveryLog({ id }: { id: number }) {
  const [search, setSearch] = useSearchParams();
  const [page, setPage] = useState(1);
  const [status, eventType, callId] = names.map((name) => search.get(name) ?? '') as [string, string, string];
  const deliveries = useDeliveries(id, page, { status, eventType, callId });
  const set = (name: string, value: string) => {
    setPage(1);
    setSearch(
      (previous) => {
        const next = new URLSearchParams(previous);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  };
  const any = { value: '', label: m.webhooks_any() };
  return (
    <Card>
      <CardHead title={m.webhooks_log()} description={m.webhooks_log_text()} actions={<ReplaySpan id={id} />} />
      <div className="mb-4 grid gap-3 sm:grid-cols-3">
        <SelectField
          label={m.webhooks_state()}
          value={status}
          onChange={(event) => set('status', event.target.value)}
          choices={[any, ...deliveryStates.map((value) => ({ value, label: deliveryStateName(value) }))]}
        />
        <SelectField
          label={m.webhooks_event()}
          value={eventType}
          onChange={(event) => set('eventType', event.target.value)}
          choices={[any, ...webhookTypes.map((value) => ({ value, label: value }))]}
        />
        <TextField
          label={m.webhooks_call_id()}
          value={callId}
          onChange={(event) => set('callId', event.target.value.trim())}
        />
      </div>
      {deliveries.error && <ErrorView error={deliveries.error} onRetry={() => void deliveries.refetch()} />}
      {deliveries.isPending && <Loading />}
      {deliveries.data?.data.length === 0 && <EmptyView>{m.webhooks_log_empty()}</EmptyView>}
      <ul className="divide-y">
        {deliveries.data?.data.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} integrationId={id} />
        ))}
      </ul>
      {deliveries.data && <Pagination page={page} pages={deliveries.data.meta.totalPageCount} onPage={setPage} />}
    </Card>
  );
}

function DeliveryRow({ delivery, integrationId }: { delivery: Delivery; integrationId: number }) {
  const [open, setOpen] = useState(false);
  const Sign = open ? ChevronDown : ChevronRight;
  return (
    <li className="py-2">
      <Button
        look="quiet"
        aria-expanded={open}
        className="h-auto w-full justify-start gap-x-3 gap-y-1 px-2 py-2 text-left whitespace-normal"
        onClick={() => setOpen(!open)}
      >
        <Sign aria-hidden />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 font-normal">
          <span className="font-medium">{delivery.eventType}</span>
          <DeliveryState status={delivery.status} />
          {delivery.test && <span className="text-sm text-soft">{m.webhooks_test_mark()}</span>}
          <span className="ml-auto text-sm text-soft">{delivery.createdAt && formatDateTime(delivery.createdAt)}</span>
        </span>
      </Button>
      {open && <DeliveryDetails delivery={delivery} integrationId={integrationId} />}
    </li>
  );
}

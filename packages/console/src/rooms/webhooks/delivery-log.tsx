import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Card, CardHead } from '../../components/ui/card';
import { SelectField, TextField } from '../../components/ui/field';
import { Pagination } from '../../components/ui/pagination';
import { EmptyView, ErrorView, Loading } from '../../components/ui/state-views';
import { m } from '../../paraglide/messages';
import { DeliveryRow } from './delivery-row';
import { deliveryStateName, deliveryStates } from './delivery-state';
import { settingsOf, webhookTypes } from './integration-settings';
import { useDeliveries } from './queries';
import type { Integration } from './queries';
import { ReplaySpan } from './replay-span';

const names = ['status', 'eventType', 'callId'] as const;

/** What was sent, what was not, and why; its filters are in the address bar. */
export function DeliveryLog({ integration }: { integration: Integration }) {
  const { id, gateway } = integration;
  const receiver = { id, gateway, url: settingsOf(integration).webhookUrl || null };
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
          <DeliveryRow key={delivery.id} delivery={delivery} receiver={receiver} />
        ))}
      </ul>
      {deliveries.data && <Pagination page={page} pages={deliveries.data.meta.totalPageCount} onPage={setPage} />}
    </Card>
  );
}

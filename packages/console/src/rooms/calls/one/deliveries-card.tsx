import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { buttonStyle } from '../../../components/ui/button';
import { Card, CardHead } from '../../../components/ui/card';
import { ErrorView, Loading } from '../../../components/ui/state-views';
import { formatNumber } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { DeliveryRow } from '../../webhooks/delivery-row';
import { reasonWords } from '../../webhooks/reason-words';
import { deliveriesQuery } from '../call-queries';
import type { Call } from '../call-queries';

/** In the deliveries of a call each names its integration. */
const unknownReceiver = { id: 0, gateway: '', url: null };

/** What webhooks were told of the call: each attempt with its request and answer, and what was not sent and why. */
export function DeliveriesCard({ call, settled }: { call: Call; settled: boolean }) {
  const { data, error, refetch } = useQuery(deliveriesQuery(call.id, settled));
  const sent = data?.filter(({ status }) => status !== 'not-matched') ?? [];
  const unsent = data?.filter(({ status }) => status === 'not-matched') ?? [];
  return (
    <Card>
      <CardHead title={m.calls_webhooks()} description={m.calls_webhooks_text()} />
      {data === undefined &&
        (error === null ? <Loading /> : <ErrorView error={error} onRetry={() => void refetch()} />)}
      {data?.length === 0 && (
        <div className="grid justify-items-start gap-3 text-sm text-soft">
          <p>{m.calls_webhooks_none()}</p>
          <Link to="/webhooks" className={buttonStyle({ size: 'small' })}>
            {m.calls_webhooks_create()}
          </Link>
        </div>
      )}
      {sent.length > 0 && (
        <ul aria-label={m.calls_webhooks()} className="divide-y border-y">
          {sent.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              receiver={delivery.integration ?? unknownReceiver}
              onCallPage
            />
          ))}
        </ul>
      )}
      {unsent.length > 0 && (
        <details className="mt-3 text-sm">
          <summary className="cursor-pointer text-soft">
            {m.calls_unsent({ count: formatNumber(unsent.length) })}
          </summary>
          <ul className="mt-2 grid gap-2">
            {unsent.map(({ id, eventType, integration, reason, why }) => (
              <li key={id} className="[overflow-wrap:anywhere]">
                <code className="text-xs">{eventType}</code> → {integration?.gateway}
                <span className="block text-soft">{reasonWords(why, reason)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

import { RotateCw } from 'lucide-react';
import { Link } from 'react-router';
import { Button } from '../../components/ui/button';
import { toast, toastError } from '../../components/ui/toast';
import { formatDateTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { AttemptView } from './attempt-view';
import { replayDelivery, useWebhookChange } from './queries';
import type { Delivery } from './queries';

/** One delivery with every attempt: what was sent, what was answered, and why it was not sent. */
export function DeliveryDetails({ delivery, integrationId }: { delivery: Delivery; integrationId: number }) {
  const replay = useWebhookChange(replayDelivery);
  const again = () =>
    replay.mutate(
      { integrationId, deliveryId: delivery.id },
      { onSuccess: () => toast(m.webhooks_replayed()), onError: toastError },
    );
  return (
    <div className="grid gap-4 rounded-lg bg-sunken p-4 text-sm">
      {delivery.reason !== null && (
        <p>
          <span className="font-medium">{m.webhooks_why_not()}</span> {delivery.reason}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-soft">
        {delivery.callId !== null && !delivery.test && (
          <Link to={`/calls/${delivery.callId}`} className="text-accent hover:underline">
            {m.webhooks_open_call()}
          </Link>
        )}
        {delivery.nextAttemptAt !== null && (
          <span>{m.webhooks_next_attempt({ time: formatDateTime(delivery.nextAttemptAt) })}</span>
        )}
        <Button size="small" className="ml-auto" disabled={replay.isPending} onClick={again}>
          <RotateCw aria-hidden />
          {m.webhooks_replay()}
        </Button>
      </div>
      {delivery.payload !== null && (
        <Block title={m.webhooks_request()} text={JSON.stringify(delivery.payload, undefined, 2)} />
      )}
      {delivery.attempts.length === 0 && <p className="text-soft">{m.webhooks_no_attempts()}</p>}
      <ol className="grid gap-3">
        {delivery.attempts.map((attempt, index) => (
          <AttemptView key={attempt.at ?? index} attempt={attempt} number={index + 1} />
        ))}
      </ol>
    </div>
  );
}

/** Text that came from elsewhere, shown as text. */
export function Block({ title, text }: { title: string; text: string }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 font-medium">{title}</p>
      <pre
        tabIndex={0}
        className="max-h-72 overflow-auto rounded-lg border bg-card p-3 font-mono text-xs whitespace-pre-wrap break-all"
      >
        {text}
      </pre>
    </div>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ChevronRight, RotateCw, Terminal } from 'lucide-react';
import { api } from '../../../api/client';
import type { Schemas } from '../../../api/client';
import { copyText } from '../../../components/copy-text';
import { Button } from '../../../components/ui/button';
import { toast, toastError } from '../../../components/ui/toast';
import { formatNumber, formatTime } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { DeliveryState } from '../../webhooks/delivery-state';
import { DeliveryAttempts } from './delivery-attempts';
import { curlOfDelivery } from './delivery-curl';

type Delivery = Schemas['Delivery'];

export function DeliveryItem({ delivery }: { delivery: Delivery }) {
  const { eventType, status, attempts, createdAt, nextAttemptAt, integration } = delivery;
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-1 py-2.5 hover:bg-sunken [&::-webkit-details-marker]:hidden">
          <ChevronRight className="size-4 shrink-0 text-soft transition-transform group-open:rotate-90" aria-hidden />
          <code className="text-sm">{eventType}</code>
          <span className="min-w-0 text-sm [overflow-wrap:anywhere] text-soft">{integration?.gateway}</span>
          <span className="ml-auto flex items-center gap-3">
            <span className="text-xs whitespace-nowrap text-soft tabular-nums">
              {attempts.length === 1
                ? m.calls_delivery_attempts_one()
                : m.calls_delivery_attempts_many({ count: formatNumber(attempts.length) })}
              {createdAt !== null && ` · ${formatTime(createdAt)}`}
            </span>
            <DeliveryState status={status} />
          </span>
        </summary>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pb-4 pl-7">
          <div className="flex flex-wrap items-center gap-2">
            <ReplayButton delivery={delivery} />
            <CurlButton delivery={delivery} />
            {nextAttemptAt !== null && (
              <span className="text-sm text-soft">{m.calls_delivery_next({ time: formatTime(nextAttemptAt) })}</span>
            )}
          </div>
          <DeliveryAttempts delivery={delivery} />
        </div>
      </details>
    </li>
  );
}

function ReplayButton({ delivery: { id, callId, eventType, integration } }: { delivery: Delivery }) {
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      api.POST('/api/v1/integrations/{id}/deliveries/{delivery_id}/replay', {
        params: { path: { id: integration?.id ?? 0, delivery_id: id } },
      }),
    onSuccess: () => toast(m.calls_delivery_replayed()),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['calls', 'one', callId, 'deliveries'] }),
  });
  return (
    <Button
      size="small"
      disabled={replay.isPending}
      onClick={() => replay.mutate()}
      aria-label={m.calls_delivery_replay_of({ event: eventType, receiver: integration?.gateway ?? '' })}
    >
      <RotateCw aria-hidden />
      {m.calls_delivery_replay()}
    </Button>
  );
}

function CurlButton({ delivery }: { delivery: Delivery }) {
  const command = curlOfDelivery(delivery);
  if (command === undefined) return null;
  const copy = () =>
    void copyText(command).then((copied) =>
      copied ? toast(m.calls_delivery_curl_copied()) : toast(m.calls_copy_failed(), 'bad'),
    );
  return (
    <Button
      size="small"
      onClick={copy}
      aria-label={m.calls_delivery_curl_of({
        event: delivery.eventType,
        receiver: delivery.integration?.gateway ?? '',
      })}
    >
      <Terminal aria-hidden />
      {m.calls_delivery_curl()}
    </Button>
  );
}

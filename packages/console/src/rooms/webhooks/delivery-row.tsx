import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { cn } from '../../components/class-names';
import { formatDateTime, formatNumber, formatTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { DeliveryDetails } from './delivery-details';
import { DeliveryState } from './delivery-state';
import type { Delivery, Receiver } from './queries';

interface DeliveryRowProps {
  delivery: Delivery;
  receiver: Receiver;
  /** There the receivers differ and the day does not; in an integration's own log it is the other way round. */
  onCallPage?: boolean;
}

/** A line of a list of deliveries, which opens. */
export function DeliveryRow({ delivery, receiver, onCallPage = false }: DeliveryRowProps) {
  const [open, setOpen] = useState(false);
  const { eventType, status, attempts, createdAt, test } = delivery;
  const about = onCallPage ? receiver.gateway : test && m.webhooks_test_mark();
  const when = createdAt !== null && (onCallPage ? formatTime(createdAt) : formatDateTime(createdAt));
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full cursor-pointer items-center gap-3 rounded-lg py-2.5 text-left hover:bg-sunken"
      >
        <ChevronRight
          className={cn('size-4 shrink-0 text-soft transition-transform', open && 'rotate-90')}
          aria-hidden
        />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 text-sm">
          <code className="sm:w-32">{eventType}</code>
          <span className="sm:w-36">
            <DeliveryState status={status} />
          </span>
          {about && <span className="min-w-0 [overflow-wrap:anywhere] text-soft">{about}</span>}
          <span className="w-full text-xs whitespace-nowrap sm:ml-auto sm:w-auto text-soft tabular-nums">
            {attempts.length > 0 && `${m.webhooks_attempts({ count: formatNumber(attempts.length) })} · `}
            {when}
          </span>
        </span>
      </button>
      {open && <DeliveryDetails delivery={delivery} receiver={receiver} onCallPage={onCallPage} />}
    </li>
  );
}

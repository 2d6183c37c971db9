import { RotateCw, Terminal } from 'lucide-react';
import { Link } from 'react-router';
import { copyText } from '../../components/copy-text';
import { Button } from '../../components/ui/button';
import { toast, toastError } from '../../components/ui/toast';
import { formatDateTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { DeliveryAttempts } from './delivery-attempts';
import { curlOfDelivery } from './delivery-curl';
import { useReplayDelivery } from './queries';
import type { Delivery, Receiver } from './queries';
import { reasonWords } from './reason-words';

interface DeliveryDetailsProps {
  delivery: Delivery;
  receiver: Receiver;
  /** The page is about the call itself, so that no link leads to it. */
  onCallPage: boolean;
}

/** One delivery with every attempt: what was sent, what was answered, and why it was not sent. */
export function DeliveryDetails({ delivery, receiver, onCallPage }: DeliveryDetailsProps) {
  const { callId, test, reason, why, nextAttemptAt, status } = delivery;
  const linksCall = callId !== null && !test && !onCallPage;
  const wasMeant = status !== 'not-matched';
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-1 pb-4 text-sm sm:pl-7">
      {reason !== null && <p className="[overflow-wrap:anywhere]">{reasonWords(why, reason)}</p>}
      {(wasMeant || linksCall) && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          {wasMeant && <ReplayButton delivery={delivery} receiver={receiver} />}
          {wasMeant && <CurlButton delivery={delivery} receiver={receiver} />}
          {linksCall && (
            <Link to={`/calls/${callId}`} className="text-accent hover:underline">
              {m.webhooks_open_call()}
            </Link>
          )}
          {nextAttemptAt !== null && (
            <span className="text-soft">{m.webhooks_next_attempt({ time: formatDateTime(nextAttemptAt) })}</span>
          )}
        </div>
      )}
      {wasMeant && <DeliveryAttempts delivery={delivery} receiver={receiver} />}
    </div>
  );
}

type ActionProps = Omit<DeliveryDetailsProps, 'onCallPage'>;

function ReplayButton({ delivery, receiver }: ActionProps) {
  const replay = useReplayDelivery(delivery, receiver);
  const again = () => replay.mutate(undefined, { onSuccess: () => toast(m.webhooks_replayed()), onError: toastError });
  return (
    <Button
      size="small"
      disabled={replay.isPending}
      onClick={again}
      aria-label={m.webhooks_replay_of({ event: delivery.eventType, receiver: receiver.gateway })}
    >
      <RotateCw aria-hidden />
      {m.webhooks_replay()}
    </Button>
  );
}

function CurlButton({ delivery, receiver }: ActionProps) {
  const command = curlOfDelivery(delivery, receiver.url);
  if (command === undefined) return null;
  const copy = () =>
    void copyText(command).then((copied) =>
      copied ? toast(m.webhooks_curl_copied()) : toast(m.shell_copy_failed(), 'bad'),
    );
  return (
    <Button
      size="small"
      onClick={copy}
      aria-label={m.webhooks_curl_of({ event: delivery.eventType, receiver: receiver.gateway })}
    >
      <Terminal aria-hidden />
      {m.shell_copy_as_curl()}
    </Button>
  );
}

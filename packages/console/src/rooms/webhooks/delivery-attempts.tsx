import type { ReactNode } from 'react';
import { Badge } from '../../components/ui/badge';
import { formatDateTime, formatNumber } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { headersOf } from './delivery-curl';
import type { Attempt, Delivery, Receiver } from './queries';
import { reasonWords } from './reason-words';

interface DeliveryAttemptsProps {
  delivery: Delivery;
  receiver: Receiver;
}

/** The newest attempt first, each with what was sent and what came back. Everything is shown as text. */
export function DeliveryAttempts({ delivery, receiver }: DeliveryAttemptsProps) {
  const numbered = delivery.attempts.map((attempt, index) => ({ attempt, number: index + 1 })).reverse();
  if (numbered.length === 0) {
    return <Exchange title={m.webhooks_request()}>{requestText(delivery, receiver, undefined)}</Exchange>;
  }
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {numbered.map(({ attempt, number }) => (
        <li key={number} className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <h3 className="font-medium">{m.webhooks_attempt({ number })}</h3>
            <Badge tone={isSuccess(attempt) ? 'good' : 'bad'}>{attempt.status ?? m.webhooks_no_answer()}</Badge>
            <span className="text-soft tabular-nums">
              {m.webhooks_milliseconds({ ms: formatNumber(attempt.latencyMs) })}
              {attempt.at !== null && ` · ${formatDateTime(attempt.at)}`}
            </span>
          </div>
          {attempt.error !== null && (
            <p className="text-sm [overflow-wrap:anywhere] text-bad">{reasonWords(attempt.why, attempt.error)}</p>
          )}
          <div className="grid grid-cols-[minmax(0,1fr)] gap-3 xl:grid-cols-2">
            <Exchange title={m.webhooks_request()}>{requestText(delivery, receiver, attempt)}</Exchange>
            <Exchange title={m.webhooks_answer()}>
              {attempt.status === null ? m.webhooks_no_answer() : attempt.answer || m.webhooks_empty_answer()}
            </Exchange>
          </div>
        </li>
      ))}
    </ol>
  );
}

const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

function requestText({ payload }: Delivery, { url }: Receiver, attempt: Attempt | undefined): string {
  const headers = headersOf(attempt);
  const headerLines = headers && Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [
    `POST ${url ?? ''}`,
    ...(headerLines ?? (attempt === undefined ? [] : [m.webhooks_headers_unknown()])),
    '',
    JSON.stringify(payload, null, 2),
  ].join('\n');
}

function Exchange({ title, children }: { title: string; children: ReactNode }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-xs font-medium text-soft">{title}</figcaption>
      {/* It scrolls, so it can be reached with the keyboard. */}
      <pre
        tabIndex={0}
        className="max-h-72 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap"
      >
        {children}
      </pre>
    </figure>
  );
}

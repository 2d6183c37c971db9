import type { ReactNode } from 'react';
import type { Schemas } from '../../../api/client';
import { Badge } from '../../../components/ui/badge';
import { formatDateTime, formatNumber } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { headersOf } from './delivery-curl';

type Delivery = Schemas['Delivery'];
type Attempt = Delivery['attempts'][number];

/** The newest attempt first, each with what was sent and what came back. Everything is shown as text. */
export function DeliveryAttempts({ delivery }: { delivery: Delivery }) {
  const numbered = delivery.attempts.map((attempt, index) => ({ attempt, number: index + 1 })).reverse();
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)] gap-5">
      {numbered.map(({ attempt, number }) => (
        <li key={number} className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <h3 className="font-medium">{m.calls_delivery_attempt({ number })}</h3>
            <Badge tone={isSuccess(attempt) ? 'good' : 'bad'}>{attempt.status ?? m.calls_delivery_no_answer()}</Badge>
            <span className="text-soft tabular-nums">
              {m.calls_delivery_latency({ ms: formatNumber(attempt.latencyMs) })}
              {attempt.at !== null && ` · ${formatDateTime(attempt.at)}`}
            </span>
          </div>
          {attempt.error !== null && <p className="text-sm [overflow-wrap:anywhere] text-bad">{attempt.error}</p>}
          <div className="grid grid-cols-[minmax(0,1fr)] gap-3 xl:grid-cols-2">
            <Exchange title={m.calls_delivery_request()}>{requestText(delivery, attempt)}</Exchange>
            <Exchange title={m.calls_delivery_answer()}>
              {attempt.status === null
                ? m.calls_delivery_no_answer()
                : attempt.answer || m.calls_delivery_empty_answer()}
            </Exchange>
          </div>
        </li>
      ))}
    </ol>
  );
}

const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

function requestText({ integration, payload }: Delivery, attempt: Attempt): string {
  const headers = headersOf(attempt);
  return [
    `POST ${integration?.url ?? ''}`,
    ...(headers === null
      ? [m.calls_delivery_headers_unknown()]
      : Object.entries(headers).map(([name, value]) => `${name}: ${value}`)),
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

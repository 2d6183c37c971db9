import type { Schemas } from '../../api/client';
import { Badge } from '../../components/ui/badge';
import { formatDateTime, formatNumber } from '../../i18n/format';
import { m } from '../../paraglide/messages';

type Attempt = Schemas['DeliveryAttempt'];

const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

export function AttemptView({ attempt, number }: { attempt: Attempt; number: number }) {
  const headers = Object.entries(attempt.requestHeaders ?? {}).map(([name, value]) => `${name}: ${String(value)}`);
  return (
    <li className="rounded-lg border bg-card p-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{m.webhooks_attempt({ number })}</span>
        <Badge tone={isSuccess(attempt) ? 'good' : 'bad'}>{attempt.status ?? attempt.error ?? '–'}</Badge>
        <span className="text-soft">{attempt.at && formatDateTime(attempt.at)}</span>
        <span className="text-soft tabular-nums">{formatNumber(attempt.latencyMs)} ms</span>
      </p>
      {attempt.status !== null && attempt.error !== null && (
        <p className="mt-1 text-bad break-words">{attempt.error}</p>
      )}
      {headers.length > 0 && <Fold title={m.webhooks_headers()} text={headers.join('\n')} />}
      {attempt.answer && <Fold title={m.webhooks_answer()} text={attempt.answer} />}
    </li>
  );
}

function Fold({ title, text }: { title: string; text: string }) {
  return (
    <details className="mt-2">
      <summary className="cursor-pointer text-soft">{title}</summary>
      <pre
        tabIndex={0}
        className="mt-1 max-h-60 overflow-auto rounded bg-sunken p-2 font-mono text-xs whitespace-pre-wrap break-all"
      >
        {text}
      </pre>
    </details>
  );
}

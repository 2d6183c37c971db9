import type { Reason } from '@sabia/client';
import { Badge } from '../../components/ui/badge';
import type { Tone } from '../../components/ui/badge';
import { Card, CardHead } from '../../components/ui/card';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { formatDateTime, formatNumber, formatTime } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { useHealth } from './queries';
import { reasonWords } from './reason-words';

const states: Record<string, { tone: Tone; name: () => string }> = {
  healthy: { tone: 'good', name: m.webhooks_healthy },
  shaky: { tone: 'warn', name: m.webhooks_shaky },
  paused: { tone: 'warn', name: m.webhooks_paused },
  disabled: { tone: 'bad', name: m.webhooks_disabled },
  off: { tone: 'neutral', name: m.webhooks_off },
};

export function HealthBadge({ state }: { state: string }) {
  const { tone, name } = states[state] ?? { tone: 'neutral' as const, name: () => state };
  return <Badge tone={tone}>{name()}</Badge>;
}

/** How the receiver did in the last 24 hours. */
export function HealthCard({ id }: { id: number }) {
  const { data: health, error, refetch } = useHealth(id);
  if (health === undefined) return error ? <ErrorView error={error} onRetry={() => void refetch()} /> : <Loading />;
  const figures = [
    [m.webhooks_figure_delivered(), formatNumber(health.delivered)],
    [m.webhooks_figure_failed(), formatNumber(health.failed)],
    [m.webhooks_figure_dead(), formatNumber(health.dead)],
    [
      m.webhooks_latency(),
      health.latencyP50 === null
        ? '–'
        : m.webhooks_milliseconds({
            ms: `${formatNumber(health.latencyP50)} / ${formatNumber(health.latencyP95 ?? health.latencyP50)}`,
          }),
    ],
  ];
  return (
    <Card>
      <CardHead
        title={m.webhooks_health()}
        description={m.webhooks_health_text()}
        actions={<HealthBadge state={health.state} />}
      />
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt className="text-sm text-soft">{name}</dt>
            <dd className="text-lg font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <Hours hours={health.hours} />
      <div className="mt-4 grid gap-1 text-sm text-soft">
        {health.lastSuccessAt && <p>{m.webhooks_last_success({ time: formatDateTime(health.lastSuccessAt) })}</p>}
        {health.lastFailure?.at && (
          <p className="break-words">
            {m.webhooks_last_failure({
              time: formatDateTime(health.lastFailure.at),
              reason: reasonWords(health.lastFailure.why, health.lastFailure.reason),
            })}
          </p>
        )}
        {health.pausedUntil && <p>{m.webhooks_paused_until({ time: formatDateTime(health.pausedUntil) })}</p>}
        {health.disablesAt && (
          <p className="text-warn">{m.webhooks_disables_at({ time: formatDateTime(health.disablesAt) })}</p>
        )}
        {health.disabledReason && <p className="text-bad">{reasonWords(health.disabledWhy, health.disabledReason)}</p>}
      </div>
      {health.unsent.length > 0 && <UnsentEvents unsent={health.unsent} />}
    </Card>
  );
}

/** Why events were not sent, so that a webhook that never fires says what it waits for. */
function UnsentEvents({ unsent }: { unsent: Unsent[] }) {
  return (
    <section className="mt-4 text-sm">
      <h3 className="font-medium">{m.webhooks_unsent()}</h3>
      <ul className="mt-1 grid gap-1 text-soft">
        {unsent.map(({ eventType, count, reason, why }) => (
          <li key={`${eventType} ${why?.code ?? reason}`} className="break-words">
            {m.webhooks_unsent_line({ count: formatNumber(count), type: eventType, reason: reasonWords(why, reason) })}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Unsent {
  eventType: string;
  count: number;
  reason: string;
  why: Reason | null;
}

interface Hour {
  hour: string | null;
  delivered: number;
  failed: number;
  dead: number;
}

/** One bar an hour: delivered below, not delivered above. */
function Hours({ hours }: { hours: Hour[] }) {
  const most = Math.max(1, ...hours.map(({ delivered, failed, dead }) => delivered + failed + dead));
  const height = (count: number) => `${(count / most) * 100}%`;
  return (
    <ol className="mt-5 flex h-16 items-end gap-0.5" aria-label={m.webhooks_hours()}>
      {hours.map(({ hour, delivered, failed, dead }) => (
        <li key={hour} className="flex h-full flex-1 flex-col justify-end rounded-sm bg-sunken">
          <span className="sr-only">
            {m.webhooks_hour({ time: hour ? formatTime(hour) : '', delivered, failed: failed + dead })}
          </span>
          <div className="rounded-t-sm bg-bad" style={{ height: height(failed + dead) }} />
          <div className="bg-good" style={{ height: height(delivered) }} />
        </li>
      ))}
    </ol>
  );
}

import type { CallMoney, CallReservation } from '@sabia/client';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../../components/ui/badge';
import type { Tone } from '../../../components/ui/badge';
import { Card, CardHead } from '../../../components/ui/card';
import { ErrorView } from '../../../components/ui/state-views';
import { formatMoney, formatNumber, formatTime } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { movementName } from '../../credit/movement-words';
import { rateWords } from '../../credit/rate-words';
import { moneyQuery } from '../call-queries';
import type { Call } from '../call-queries';
import { isLive } from '../call-words';
import { Definition, DefinitionList } from './definition-list';

type Money = CallMoney;
type Reservation = CallReservation;

/** What the call costs, why it costs this, and where it is in the statement. */
export function MoneyCard({ call, settled }: { call: Call; settled: boolean }) {
  const { data: money, error, refetch } = useQuery(moneyQuery(call.id, settled));
  return (
    <Card>
      <CardHead title={m.calls_money()} />
      <Price call={call} />
      {error !== null && money === undefined && <ErrorView error={error} onRetry={() => void refetch()} />}
      {money && <MoneyDetails money={money} />}
    </Card>
  );
}

function Price({ call }: { call: Call }) {
  if (call.call_price !== null) {
    return (
      <p className="mb-4 text-3xl font-semibold tracking-tight tabular-nums">
        <span className="sr-only">{m.calls_money_price()}: </span>
        {formatMoney(call.call_price)}
      </p>
    );
  }
  return <p className="mb-4 text-sm text-soft">{isLive(call) ? m.calls_money_live() : m.calls_money_pending()}</p>;
}

function MoneyDetails({ money }: { money: Money }) {
  const { rate, duration, billed_seconds, reservation, entries } = money;
  return (
    <>
      <DefinitionList>
        {rate && (
          <Definition name={m.calls_money_rate()}>
            {m.calls_money_per_minute({ price: formatMoney(rate.minute_price) })}
            <span className="block text-soft">{[rateWords(rate), rate.prefix].filter(Boolean).join(' · ')}</span>
            <span className="block text-soft">
              {m.calls_money_increments({ minimum: rate.minimum_seconds, increment: rate.increment_seconds })}
            </span>
          </Definition>
        )}
        {duration !== null && (
          <Definition name={m.calls_money_talked()}>
            {m.calls_money_seconds({ seconds: formatNumber(duration) })}
          </Definition>
        )}
        {billed_seconds !== null && <Definition name={m.calls_money_billed()}>{billedText(money)}</Definition>}
        {reservation && <ReservationLines reservation={reservation} />}
      </DefinitionList>
      {entries.length > 0 && <StatementLines entries={entries} />}
    </>
  );
}

function billedText({ billed_seconds, increments, rate }: Money): string {
  const seconds = formatNumber(billed_seconds ?? 0);
  if (rate === null || increments === null || increments === 0) return m.calls_money_seconds({ seconds });
  const { minimum_seconds: minimum, increment_seconds: increment } = rate;
  return m.calls_money_billed_steps({ seconds, minimum, steps: increments, increment });
}

const states: Record<Reservation['state'], { name: () => string; tone: Tone }> = {
  OPEN: { name: m.calls_reservation_open, tone: 'info' },
  RELEASED: { name: m.calls_reservation_released, tone: 'neutral' },
  EXPIRED: { name: m.calls_reservation_expired, tone: 'warn' },
  SETTLED: { name: m.calls_reservation_settled, tone: 'good' },
};

function ReservationLines({ reservation }: { reservation: Reservation }) {
  const { state, reserved, released, seconds } = reservation;
  return (
    <Definition name={m.calls_money_reservation()}>
      <Badge tone={states[state].tone}>{states[state].name()}</Badge>
      <span className="block">
        {m.calls_money_reserved({ amount: formatMoney(reserved), seconds: formatNumber(seconds) })}
      </span>
      {released > 0 && (
        <span className="block text-soft">{m.calls_money_released({ amount: formatMoney(released) })}</span>
      )}
    </Definition>
  );
}

function StatementLines({ entries }: { entries: Money['entries'] }) {
  return (
    <div className="mt-4 border-t pt-4">
      <h3 className="mb-2 text-sm font-medium">{m.calls_money_entries()}</h3>
      <ul className="grid gap-2 text-sm">
        {entries.map((entry) => (
          <li key={entry.id} className="flex justify-between gap-3">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {movementName(entry)}
              {entry.at !== null && (
                <span className="block text-xs text-soft tabular-nums">{formatTime(entry.at)}</span>
              )}
            </span>
            <span className="text-right whitespace-nowrap tabular-nums">
              {formatMoney(entry.amount)}
              <span className="block text-xs text-soft">
                {m.calls_money_balance({ balance: formatMoney(entry.balance) })}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

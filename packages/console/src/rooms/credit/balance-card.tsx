import { Card } from '../../components/ui/card';
import { ErrorView, Loading } from '../../components/ui/state-views';
import { formatMoney } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { useBalance } from './queries';

/** The balance with its reserved part, moving while calls run. */
export function BalanceCard() {
  const { data, error, refetch } = useBalance();
  if (data === undefined) return error ? <ErrorView error={error} onRetry={() => void refetch()} /> : <Loading />;
  const reservedShare = data.balance > 0 ? Math.min(1, data.reserved / data.balance) : 0;
  return (
    <Card>
      <p className="text-sm text-soft">{m.credit_available()}</p>
      <p className="mt-1 text-4xl font-semibold tracking-tight tabular-nums" role="status">
        {formatMoney(data.available)}
      </p>
      <div className="mt-4 flex h-2 overflow-hidden rounded-full bg-good" aria-hidden>
        <div className="bg-warn" style={{ width: `${reservedShare * 100}%` }} />
      </div>
      <dl className="mt-3 flex flex-wrap justify-between gap-x-6 gap-y-1 text-sm">
        <div className="flex gap-2">
          <dt className="text-soft">{m.credit_balance()}</dt>
          <dd className="tabular-nums">{formatMoney(data.balance)}</dd>
        </div>
        <div className="flex gap-2">
          <dt className="text-soft">{m.credit_reserved()}</dt>
          <dd className="tabular-nums">{formatMoney(data.reserved)}</dd>
        </div>
      </dl>
      {data.available <= 0 && <p className="mt-3 text-sm text-bad">{m.credit_empty_warning()}</p>}
    </Card>
  );
}

import type { CallFigures } from '@sabia/client';
import { Badge } from '../../components/ui/badge';
import { Card, CardHead } from '../../components/ui/card';
import { formatNumber } from '../../i18n/format';
import { m } from '../../paraglide/messages';

/** Anatel's measure: operators may block callers of whose calls 85 % are short. */
const BLOCKED_FROM = 0.85;
const WARN_FROM = 0.6;
/** Of fewer calls a share says nothing; operators look at those who make a hundred thousand a day. */
const FEWEST_CALLS = 100;

export function ShortCalls({ total }: { total: CallFigures }) {
  const share = total.shortShare;
  const risk = share === null || share < WARN_FROM ? 'good' : share < BLOCKED_FROM ? 'warn' : 'bad';
  const verdicts = { good: m.overview_short_good(), warn: m.overview_short_warn(), bad: m.overview_short_bad() };
  return (
    <Card>
      <CardHead
        title={m.overview_short()}
        description={m.overview_short_text()}
        actions={
          share !== null &&
          (total.outbound < FEWEST_CALLS ? (
            <Badge>{m.overview_short_few()}</Badge>
          ) : (
            <Badge tone={risk}>{verdicts[risk]}</Badge>
          ))
        }
      />
      <p className="text-3xl font-semibold tracking-tight tabular-nums">
        {share === null ? '–' : formatNumber(share, { style: 'percent', maximumFractionDigits: 1 })}
      </p>
      <p className="mt-1 text-sm text-soft">
        {m.overview_short_count({ short: formatNumber(total.shortCalls), outbound: formatNumber(total.outbound) })}
      </p>
      <p className="mt-3 text-sm text-soft">{m.overview_short_advice()}</p>
    </Card>
  );
}

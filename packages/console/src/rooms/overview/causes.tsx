import type { CauseCount } from '@sabia/client';
import { Link } from 'react-router';
import { Card, CardHead } from '../../components/ui/card';
import { formatNumber } from '../../i18n/format';
import { m } from '../../paraglide/messages';
import { causeWords } from '../calls/causes';

const SHOWN = 6;

/** Why calls ended, the most frequent reasons first. */
export function Causes({ causes }: { causes: CauseCount[] }) {
  const most = causes[0]?.calls ?? 1;
  return (
    <Card>
      <CardHead title={m.overview_causes()} description={m.overview_causes_text()} />
      {causes.length === 0 && <p className="text-soft">{m.overview_no_calls()}</p>}
      <ul className="grid gap-3">
        {causes.slice(0, SHOWN).map(({ cause, calls }) => (
          <li key={cause}>
            <div className="mb-1 flex justify-between gap-3 text-sm">
              <Link to={`/calls?hangup_cause=${cause}`} className="hover:underline">
                {causeWords(cause).title}
              </Link>
              <span className="text-soft tabular-nums">{formatNumber(calls)}</span>
            </div>
            <div className="h-1.5 rounded-full bg-sunken" aria-hidden>
              <div className="h-full rounded-full bg-accent" style={{ width: `${(calls / most) * 100}%` }} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

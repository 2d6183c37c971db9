import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { cn } from '../../../components/class-names';
import { Card, CardHead } from '../../../components/ui/card';
import { ErrorView, Loading } from '../../../components/ui/state-views';
import { formatDateTime, formatDuration, formatNumber } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import { ladderQuery } from '../call-queries';
import type { Call } from '../call-queries';
import { ladderRows } from './ladder-rows';
import type { LadderRow } from './ladder-rows';

/** The SIP messages of both legs between three uprights: the extension, Sabiá, the destination. */
export function LadderCard({ call, settled }: { call: Call; settled: boolean }) {
  const { data, error, refetch } = useQuery(ladderQuery(call.id, settled));
  const rows = ladderRows(data ?? []);
  return (
    <Card>
      <CardHead title={m.calls_ladder()} description={m.calls_ladder_text()} />
      {data === undefined &&
        (error === null ? <Loading /> : <ErrorView error={error} onRetry={() => void refetch()} />)}
      {data?.length === 0 && <p className="text-sm text-soft">{m.calls_ladder_none()}</p>}
      {rows.length > 0 && (
        <div className="relative pl-18">
          <div className="flex justify-between text-xs font-medium" aria-hidden>
            <span>{m.calls_ladder_extension()}</span>
            <span>{m.calls_ladder_sabia()}</span>
            <span>{m.calls_ladder_destination()}</span>
          </div>
          <ol aria-label={m.calls_ladder()} className="relative mt-2 py-1">
            <Uprights />
            {rows.map((row, index) => (
              <Rung key={index} row={row} />
            ))}
          </ol>
          {rows.some(({ inferred }) => inferred) && (
            <p className="mt-3 text-xs text-soft">{m.calls_ladder_inferred()}</p>
          )}
        </div>
      )}
    </Card>
  );
}

function Uprights() {
  return ['left-0', 'left-1/2', 'right-0'].map((place) => (
    <span key={place} aria-hidden className={cn('absolute inset-y-0 w-px bg-line', place)} />
  ));
}

const tones: Record<LadderRow['tone'], string> = {
  request: 'text-info',
  progress: 'text-warn',
  success: 'text-good',
  refusal: 'text-bad',
};

function Rung({ row }: { row: LadderRow }) {
  const { lane, heads, label, tone, milliseconds, party, cseq, inferred } = row;
  const message = (
    <>
      <span className="sr-only">{spoken(row)}</span>
      {party !== undefined && (
        <span className="block text-xs wrap-anywhere text-soft">{party.replace('@', '@\u200b')}</span>
      )}
      <span className="block text-xs font-medium text-balance wrap-anywhere">
        {breakable(label)}
        {inferred && ' *'}
        {row.retransmission && <span className="font-normal text-soft"> {m.calls_ladder_again()}</span>}
      </span>
      <Arrow heads={heads} dashed={inferred} />
    </>
  );
  return (
    <li className="relative grid grid-cols-2">
      <span className="absolute top-2 -left-18 w-17 text-right text-xs text-soft tabular-nums">
        {sinceBegin(milliseconds)}
      </span>
      <div className={cn('px-1 pt-2 text-center', lane === 'destination' && 'col-start-2', tones[tone])}>
        {cseq === null ? (
          message
        ) : (
          <details>
            <summary className="cursor-pointer list-none rounded-sm hover:bg-sunken" title={`CSeq: ${cseq}`}>
              {message}
            </summary>
            <p className="my-1 text-xs text-soft tabular-nums">
              CSeq: {cseq}
              {row.at !== null && <span className="block">{formatDateTime(row.at, exactTime)}</span>}
            </p>
          </details>
        )}
      </div>
    </li>
  );
}

/** Long causes, such as NORMAL_CLEARING, break after an underscore rather than within a word. */
function breakable(label: string) {
  return label.split(/(?<=_)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

const exactTime: Intl.DateTimeFormatOptions = {
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
};

const MOST_MS = 100_000;

/** +350 ms; after a while +1:40,350 */
function sinceBegin(milliseconds: number): string {
  if (milliseconds < MOST_MS) return `+${formatNumber(milliseconds)} ms`;
  const fraction = formatNumber((milliseconds % 1_000) / 1_000, { minimumFractionDigits: 3 });
  return `+${formatDuration(milliseconds / 1_000)}${fraction.slice(1)}`;
}

function spoken({ lane, heads }: LadderRow): string {
  const outside = lane === 'extension' ? m.calls_ladder_extension() : m.calls_ladder_destination();
  const toSabia = (lane === 'extension') === (heads === 'right');
  const [from, to] = toSabia ? [outside, m.calls_ladder_sabia()] : [m.calls_ladder_sabia(), outside];
  return `${m.calls_ladder_message({ from, to })}: `;
}

function Arrow({ heads, dashed }: { heads: 'left' | 'right'; dashed: boolean }) {
  return (
    <span aria-hidden className="relative block h-2">
      <span className={cn('absolute inset-x-0 top-1 border-t border-current', dashed && 'border-dashed')} />
      <span
        className={cn(
          'absolute top-0.5 size-1.5 border-t border-current',
          heads === 'right' ? 'right-0 rotate-45 border-r' : 'left-0 -rotate-45 border-l',
        )}
      />
    </span>
  );
}

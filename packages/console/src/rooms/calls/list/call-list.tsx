import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { RefObject } from 'react';
import { cn } from '../../../components/class-names';
import { ErrorView, Loading } from '../../../components/ui/state-views';
import { formatNumber } from '../../../i18n/format';
import { m } from '../../../paraglide/messages';
import type { CallFilters } from '../filters/call-filters';
import { CallRow, columns } from './call-row';
import { MOST_ROWS, useCallRows } from './call-pages';
import type { RowSpan } from './call-pages';
import { NoCalls } from './no-calls';

const ROW_PX = 48;
const CARD_PX = 72;
const OVERSCAN = 12;

const wide = matchMedia('(min-width: 48rem)');

/** The calls as a table of which only the rows in sight exist; on narrow screens each row is a card. */
export function CallList({ filters }: { filters: CallFilters }) {
  const body = useRef<HTMLDivElement>(null);
  const margin = useDistanceFromTop(body);
  const rowPx = useIsWide() ? ROW_PX : CARD_PX;
  const [seen, setSeen] = useState<RowSpan>({ first: 0, last: 0 });
  const { first, total, rows, rowAt, error } = useCallRows(filters, seen);

  const virtual = useWindowVirtualizer({
    count: rows,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin: margin,
    // The window belongs to the page, which restores its place after the way back; the list only follows.
    scrollToFn: () => undefined,
    onChange: ({ range }) => {
      if (range !== null) setSeen(spanOf(range));
    },
  });
  useLayoutEffect(() => virtual.measure(), [virtual, rowPx]);

  if (first.error !== null && first.data === undefined)
    return <ErrorView error={first.error} onRetry={() => void first.refetch()} />;
  if (first.data === undefined) return <Loading />;
  if (total === 0) return <NoCalls filters={filters} />;
  return (
    <section aria-labelledby="call-count" className={cn('grid gap-2', first.isPlaceholderData && 'opacity-60')}>
      <h2 id="call-count" aria-live="polite" className="text-sm text-soft">
        {m.calls_count({ count: formatNumber(total) })}
      </h2>
      {error !== null && <ErrorView error={error} onRetry={() => void first.refetch()} />}
      <div
        role="table"
        aria-labelledby="call-count"
        aria-rowcount={total + 1}
        className="overflow-hidden rounded-xl border bg-card"
      >
        <div role="rowgroup" className="hidden border-b bg-sunken text-sm font-medium text-soft md:block">
          <Header />
        </div>
        <div role="rowgroup" ref={body} className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, size, start }) => (
            <div
              role="row"
              key={key}
              aria-rowindex={index + 2}
              className="absolute inset-x-0 top-0"
              style={{ height: size, transform: `translateY(${start - margin}px)` }}
            >
              <CallRow call={rowAt(index)} />
            </div>
          ))}
        </div>
      </div>
      {total > rows && <p className="text-sm text-soft">{m.calls_capped({ count: formatNumber(MOST_ROWS) })}</p>}
    </section>
  );
}

function Header() {
  const names = [
    { name: m.calls_column_when() },
    { name: m.calls_column_from() },
    { name: m.calls_column_to() },
    { name: m.calls_column_state() },
    { name: m.calls_column_duration(), className: 'text-right' },
    { name: m.calls_column_price(), className: 'text-right' },
  ];
  return (
    <div role="row" aria-rowindex={1} className={cn(columns, 'h-10')}>
      {names.map(({ name, className }) => (
        <span role="columnheader" key={name} className={className}>
          {name}
        </span>
      ))}
      <span role="columnheader">
        <span className="sr-only">{m.calls_column_extras()}</span>
      </span>
    </div>
  );
}

const spanOf =
  ({ startIndex, endIndex }: { startIndex: number; endIndex: number }) =>
  (before: RowSpan): RowSpan =>
    before.first === startIndex && before.last === endIndex ? before : { first: startIndex, last: endIndex };

function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener);
      return () => wide.removeEventListener('change', listener);
    },
    () => wide.matches,
  );
}

/** Where the list begins in the page; it moves when live calls come and go above it. */
function useDistanceFromTop(element: RefObject<HTMLElement | null>): number {
  const [distance, setDistance] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current !== null) setDistance(element.current.getBoundingClientRect().top + window.scrollY);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return Math.round(distance);
}

import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLiveState } from '../../../live/live-provider';
import { PAGE_SIZE, callPageQuery } from '../call-queries';
import type { Call } from '../call-queries';
import type { CallFilters } from '../filters/call-filters';

/** A browser cannot scroll any height, and nobody scrolls this far. */
export const MOST_ROWS = 50_000;

/** Rows beyond both ends of what is seen that are asked for ahead of time. */
const AHEAD = PAGE_SIZE / 2;

/** How often scrolling may ask for other pages. */
const SETTLE_MS = 150;

export interface RowSpan {
  first: number;
  last: number;
}

/** The numbers of the pages that hold these rows and those next to them. */
export function pagesOf({ first, last }: RowSpan, rows: number): number[] {
  const begin = Math.floor(Math.max(0, first - AHEAD) / PAGE_SIZE);
  const end = Math.floor(Math.max(0, Math.min(rows - 1, last + AHEAD)) / PAGE_SIZE);
  return Array.from({ length: end - begin + 1 }, (_, index) => begin + index + 1);
}

/**
 * Any row of a long list. Only the pages in sight are read, and read again when a call changes: jumping to the ten
 * thousandth call costs one request.
 */
export function useCallRows(filters: CallFilters, seen: RowSpan) {
  const live = useLiveState();
  const first = useQuery(callPageQuery(filters, 1, live));
  const total = first.data?.meta.totalItemCount ?? 0;
  const rows = Math.min(total, MOST_ROWS);
  const settled = useThrottled(`${seen.first}-${seen.last}`);
  const [from = 0, to = 0] = settled.split('-').map(Number);
  const numbers = pagesOf({ first: from, last: to }, rows).filter((page) => page > 1);
  const pages = useQueries({ queries: numbers.map((page) => callPageQuery(filters, page, live)) });
  const byNumber = new Map(numbers.map((page, index) => [page, pages[index]?.data?.data]));
  byNumber.set(1, first.data?.data);
  const rowAt = (index: number): Call | undefined =>
    byNumber.get(Math.floor(index / PAGE_SIZE) + 1)?.[index % PAGE_SIZE];
  const error = first.error ?? pages.find((page) => page.error !== null)?.error ?? null;
  return { first, total, rows, rowAt, error };
}

/** The latest value, at most once in a while. */
function useThrottled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = value;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setSettled(latest.current);
    }, SETTLE_MS);
  }, [value]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return settled;
}

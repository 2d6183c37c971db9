import type { CallMoney } from '@sabia/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { sabia } from '../../api/client';
import { serverNow } from '../../api/server-clock';
import { listOptions } from './filters/call-filters';
import type { CallFilters } from './filters/call-filters';
import { isCatchingUp } from './one/ladder-rows';

export type { Call } from '@sabia/client';

/** Rows of one request of the list. */
export const PAGE_SIZE = 100;

/** While no events arrive, what moves is asked for. */
const POLL_MS = 3_000;
const POLL_LIST_MS = 10_000;

const pollUnless = (live: boolean): number | false => (live ? false : POLL_MS);

export const liveCallsQuery = (live: boolean) =>
  queryOptions({
    queryKey: ['calls', 'live'],
    queryFn: ({ signal }) => sabia.calls.live({ signal }),
    refetchInterval: pollUnless(live),
  });

/** Pages are numbered from 1. */
export const callPageQuery = (filters: CallFilters, page: number, live: boolean) =>
  queryOptions({
    queryKey: ['calls', 'list', filters, page],
    queryFn: ({ signal }) => sabia.calls.list({ ...listOptions(filters, PAGE_SIZE), signal }).page(page),
    placeholderData: page === 1 ? keepPreviousData : undefined,
    refetchInterval: live ? false : POLL_LIST_MS,
  });

export const callQuery = (id: string, live: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id],
    queryFn: ({ signal }) => sabia.calls.get(id, { signal }),
    refetchInterval: ({ state }) => state.data?.status !== 'ended' && pollUnless(live),
  });

/** `settled`: no need to ask by itself, since events tell or nothing moves any more. */
export const timelineQuery = (id: string, settled: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id, 'timeline'],
    queryFn: ({ signal }) => sabia.calls.timeline(id, { signal }),
    refetchInterval: pollUnless(settled),
  });

/** Null: nothing has been held or booked for the call so far. */
export const moneyQuery = (id: string, settled: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id, 'money'],
    queryFn: ({ signal }): Promise<CallMoney | null> => sabia.calls.money(id, { signal }),
    refetchInterval: pollUnless(settled),
  });

/** No event tells of SIP messages, which are known a moment after what they brought about. */
const LADDER_MS = 1_500;

export const ladderQuery = (id: string, settled: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id, 'ladder'],
    queryFn: ({ signal }) => sabia.calls.ladder(id, { signal }),
    refetchInterval: ({ state }) => (isCatchingUp(state.data ?? [], serverNow()) ? LADDER_MS : pollUnless(settled)),
  });

export const deliveriesQuery = (id: string, settled: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id, 'deliveries'],
    queryFn: ({ signal }) => sabia.calls.deliveries(id, { signal }),
    refetchInterval: pollUnless(settled),
  });

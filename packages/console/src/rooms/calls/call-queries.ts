import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from '../../api/client';
import type { Schemas } from '../../api/client';
import { toQuery } from './filters/call-filters';
import type { CallFilters } from './filters/call-filters';
import { isCatchingUp } from './one/ladder-rows';
import { learnServerTime, serverNow } from './server-clock';

export type Call = Schemas['Call'];

/** Rows of one request of the list. */
export const PAGE_SIZE = 100;

/** While no events arrive, what moves is asked for. */
const POLL_MS = 3_000;
const POLL_LIST_MS = 10_000;

const pollUnless = (live: boolean): number | false => (live ? false : POLL_MS);

export const liveCallsQuery = (live: boolean) =>
  queryOptions({
    queryKey: ['calls', 'live'],
    queryFn: ({ signal }) => bodyOf(learnServerTime(api.GET('/api/v1/channels', { signal }))),
    refetchInterval: pollUnless(live),
  });

/** Pages are numbered from 1. */
export const callPageQuery = (filters: CallFilters, page: number, live: boolean) =>
  queryOptions({
    queryKey: ['calls', 'list', filters, page],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/v1/calls', { params: { query: { page, ...toQuery(filters, PAGE_SIZE) } }, signal })),
    placeholderData: page === 1 ? keepPreviousData : undefined,
    refetchInterval: live ? false : POLL_LIST_MS,
  });

export const callQuery = (id: string, live: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id],
    queryFn: ({ signal }) =>
      bodyOf(learnServerTime(api.GET('/api/v1/calls/{id}', { params: { path: { id } }, signal }))),
    refetchInterval: ({ state }) => state.data?.status !== 'ended' && pollUnless(live),
  });

/** `settled`: no need to ask by itself, since events tell or nothing moves any more. */
export const timelineQuery = (id: string, settled: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id, 'timeline'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/calls/{id}/timeline', { params: { path: { id } }, signal })),
    refetchInterval: pollUnless(settled),
  });

/** Null: nothing has been held or booked for the call so far. */
export const moneyQuery = (id: string, settled: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id, 'money'],
    queryFn: ({ signal }): Promise<Schemas['CallMoney'] | null> =>
      bodyOf(api.GET('/api/v1/calls/{id}/money', { params: { path: { id } }, signal })),
    refetchInterval: pollUnless(settled),
  });

/** No event tells of SIP messages, which are known a moment after what they brought about. */
const LADDER_MS = 1_500;

export const ladderQuery = (id: string, settled: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id, 'ladder'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/calls/{id}/ladder', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (isCatchingUp(state.data ?? [], serverNow()) ? LADDER_MS : pollUnless(settled)),
  });

export const deliveriesQuery = (id: string, settled: boolean) =>
  queryOptions({
    queryKey: ['calls', 'one', id, 'deliveries'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/v1/calls/{id}/deliveries', { params: { path: { id } }, signal })),
    refetchInterval: pollUnless(settled),
  });

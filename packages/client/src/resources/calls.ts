import type { Client } from '../generated/client';
import * as api from '../generated/sdk.gen';
import type { ListCallsData, PlaceCallRequest, SummarizeCallsData, TransferCallRequest } from '../generated/types.gen';
import { Pages, filterText, pagedFilterText } from '../pages';
import type { ListOptions } from '../pages';
import { keyed } from '../request-options';
import type { KeyedRequestOptions, RequestOptions } from '../request-options';

/** Days (`2026-03-10`) in the time zone of the account, or times. */
type Span = Pick<NonNullable<ListCallsData['query']>, 'startDate' | 'endDate'>;

export function callsOf(client: Client) {
  return {
    /** Places a call: the softphone of the extension rings first, then the destination is dialled. */
    create: (body: PlaceCallRequest, options: KeyedRequestOptions = {}) =>
      api.placeCall({ client, body, ...keyed(options) }),

    /** The newest first. */
    list: ({ filter, signal, ...span }: ListOptions & Span = {}) =>
      new Pages((page) => api.listCalls({ client, query: { page, filter: pagedFilterText(filter), ...span }, signal })),

    get: (id: string, options: RequestOptions = {}) => api.getCall({ client, path: { id }, ...options }),

    /** What happened to the call, step by step. */
    timeline: (id: string, options: RequestOptions = {}) => api.getCallTimeline({ client, path: { id }, ...options }),

    /** The SIP messages of its legs. */
    ladder: (id: string, options: RequestOptions = {}) => api.getCallLadder({ client, path: { id }, ...options }),

    /** How its price came about. */
    money: (id: string, options: RequestOptions = {}) => api.getCallMoney({ client, path: { id }, ...options }),

    /** What webhooks were told of it. */
    deliveries: (id: string, options: RequestOptions = {}) =>
      api.listCallDeliveries({ client, path: { id }, ...options }),

    hangUp: (id: string, options: RequestOptions = {}) => api.hangUp({ client, path: { id }, ...options }),

    /** Another extension takes over an answered call. */
    transfer: (id: string, body: TransferCallRequest, options: RequestOptions = {}) =>
      api.transferCall({ client, path: { id }, body, ...options }),

    /** Calls that have not ended. */
    live: (options: RequestOptions = {}) => api.listLiveCalls({ client, ...options }),

    /** Calls in figures, per hour or day. */
    summary: ({
      filter,
      signal,
      ...query
    }: Omit<NonNullable<SummarizeCallsData['query']>, 'filter'> & ListOptions = {}) =>
      api.summarizeCalls({ client, query: { ...query, filter: filterText(filter) }, signal }),

    /** The calls as CSV. */
    export: ({ filter, signal, ...span }: ListOptions & Span = {}) =>
      api.exportCalls({ client, query: { ...span, filter: filterText(filter) }, parseAs: 'text', signal }),
  };
}

import type { Client } from '../generated/client';
import * as api from '../generated/sdk.gen';
import type { CreateChargeRequest, GetStatementData } from '../generated/types.gen';
import { Pages, pagedFilterText } from '../pages';
import type { ListOptions } from '../pages';
import { keyed } from '../request-options';
import type { KeyedRequestOptions, RequestOptions } from '../request-options';

type Span = Pick<NonNullable<GetStatementData['query']>, 'startDate' | 'endDate'>;

export function creditOf(client: Client) {
  return {
    balance: (options: RequestOptions = {}) => api.getBalance({ client, ...options }),

    /** Every movement of the account's credit. */
    statement: ({ filter, signal, ...span }: ListOptions & Span = {}) =>
      new Pages((page) =>
        api.getStatement({ client, query: { page, filter: pagedFilterText(filter), ...span }, signal }),
      ),
  };
}

export function chargesOf(client: Client) {
  return {
    /** A top-up. */
    create: (body: CreateChargeRequest, options: KeyedRequestOptions = {}) =>
      api.createCharge({ client, body, ...keyed(options) }),

    list: ({ filter, signal }: ListOptions = {}) =>
      new Pages((page) => api.listCharges({ client, query: { page, filter: pagedFilterText(filter) }, signal })),

    get: (id: number | string, options: RequestOptions = {}) =>
      api.getCharge({ client, path: { id: String(id) }, ...options }),

    cancel: (id: number, options: RequestOptions = {}) =>
      api.cancelCharge({ client, path: { id: String(id) }, ...options }),
  };
}

export function ratesOf(client: Client) {
  return {
    /** What a call to this number costs. */
    quote: (destination: string, options: RequestOptions = {}) =>
      api.quoteRate({ client, query: { destination }, ...options }),
  };
}

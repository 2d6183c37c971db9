import { randomUUID } from 'node:crypto';
import { createPersistentSend } from '@sabia/client';
import type { Charge, StatementEntry, TransportOptions } from '@sabia/client';
import type * as types from './types';

interface Ask {
  query?: Record<string, string | number | undefined>;
  body?: object;
  /** The same key does the same thing once, so that the request may be repeated. */
  idempotencyKey?: string;
}

/** The largest page that the API gives. */
const PAGE_SIZE = 200;

/** Conditions that are undefined are none. */
const filterFor = (limit: number, where: Record<string, unknown> = {}): string =>
  JSON.stringify({ limit: Math.min(limit, PAGE_SIZE), where });

export type OperatorApi = ReturnType<typeof createOperatorApi>;

/** The API on the operator's port. */
export function createOperatorApi({ url, ...options }: TransportOptions & { url: string }) {
  const send = createPersistentSend(options);

  async function ask<T>(method: string, path: string, { query = {}, body, idempotencyKey }: Ask = {}): Promise<T> {
    const target = new URL(`${url}/operator/v1${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    const text = await (await send(new Request(target, { method, headers, body: JSON.stringify(body) }))).text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  const get = <T>(path: string, query?: Ask['query']): Promise<T> => ask<T>('GET', path, { query });

  /** The first rows of a list, from as many pages as they fill. */
  async function take<T>(path: string, limit: number, query: Ask['query'] = {}): Promise<T[]> {
    const taken: T[] = [];
    for (let page: number | null | undefined = 1; page && taken.length < limit;) {
      const { data, meta }: types.PageOf<T> = await get(path, { ...query, page });
      taken.push(...data);
      page = meta.nextPage;
    }
    return taken.slice(0, limit);
  }

  const account = (id: number): string => `/accounts/${id}`;
  const deckPath = (deck: string): string => `/rate-decks/${encodeURIComponent(deck)}`;
  const numberPath = (number: string): string => `/numbers/${encodeURIComponent(number)}`;

  return {
    accounts: {
      list: ({ search, limit }: { search?: string; limit: number }) =>
        take<types.OperatedAccount>('/accounts', limit, { search, filter: filterFor(limit) }),
      get: (id: number) => get<types.OperatedAccount>(account(id)),
      suspend: (id: number, reason: string) =>
        ask<types.OperatedAccount>('POST', `${account(id)}/suspend`, { body: { reason } }),
      resume: (id: number) => ask<types.OperatedAccount>('POST', `${account(id)}/resume`, { body: {} }),
      limit: (id: number, limits: types.AccountLimits) =>
        ask<types.OperatedAccount>('PUT', `${account(id)}/limits`, { body: limits }),
    },
    credit: {
      get: (id: number) => get<types.AccountCredit>(`${account(id)}/credit`),
      grant: (id: number, body: { amount: number; description: string }, idempotencyKey: string = randomUUID()) =>
        ask<{ balance: number }>('POST', `${account(id)}/credit`, { body, idempotencyKey }),
      statement: (id: number, limit: number) =>
        take<StatementEntry>(`${account(id)}/statement`, limit, { filter: filterFor(limit) }),
    },
    charges: {
      list: (id: number, limit: number) => take<Charge>(`${account(id)}/charges`, limit, { filter: filterFor(limit) }),
      refund: (id: number, charge: number) =>
        ask<Charge>('POST', `${account(id)}/charges/${charge}/refund`, { body: {}, idempotencyKey: randomUUID() }),
    },
    rates: {
      decks: () => get<types.RateDeck[]>('/rate-decks'),
      list: (deck: string, { prefix, limit }: { prefix?: string; limit: number }) =>
        take<types.DeckRate>(`${deckPath(deck)}/rates`, limit, { filter: filterFor(limit, { prefix }) }),
      import: (deck: string, body: { csv: string; dryRun: boolean; replace: boolean }) =>
        ask<types.ImportReport>('POST', `${deckPath(deck)}/import`, { body, idempotencyKey: randomUUID() }),
      imports: (deck: string, limit: number) => take<types.DeckImport>(`${deckPath(deck)}/imports`, limit),
      assign: (id: number, deck: string) =>
        ask<{ deck: string }>('PUT', `${account(id)}/rate-deck`, { body: { deck } }),
    },
    numbers: {
      list: ({ account: accountId, limit }: { account?: number; limit: number }) =>
        take<types.OwnedNumber>('/numbers', limit, { filter: filterFor(limit, { accountId }) }),
      assign: (number: string, body: { accountId: number; title: types.NumberTitle; note?: string }) =>
        ask<types.OwnedNumber>('PUT', numberPath(number), { body }),
      release: (number: string) => ask<void>('DELETE', numberPath(number)),
      claims: (limit: number) => take<types.NumberClaim>('/number-claims', limit),
    },
    trunks: () => get<types.Trunk[]>('/trunks'),
    switches: {
      list: () => get<types.Switch[]>('/switches'),
      set: (name: string, state: 'active' | 'draining') =>
        ask<types.Switch>('PUT', `/switches/${encodeURIComponent(name)}`, { body: { state } }),
    },
    deadLetters: {
      list: (query: { consumer?: string; after?: number; limit: number }) =>
        get<{ data: types.DeadLetter[]; next: number | null }>('/dead-letters', query),
      replay: (sequence: number) => ask<{ sequence: number }>('POST', `/dead-letters/${sequence}/replay`, { body: {} }),
    },
    audit: (limit: number, where: Record<string, unknown>) =>
      take<types.OperatorAct>('/audit', limit, { filter: filterFor(limit, where) }),
    operators: {
      list: () => get<types.Operator[]>('/operators'),
      add: (name: string) =>
        ask<{ uuid: string; name: string; token: string }>('POST', '/operators', { body: { name } }),
      remove: (uuid: string) => ask<void>('DELETE', `/operators/${encodeURIComponent(uuid)}`),
    },
  };
}

import { randomUUID } from 'node:crypto';
import { backlog } from '../backlog';
import { grantCredit } from '../credit';
import { openFilledAccount, person } from '../filled-account';
import { agentsOfAccount, filters, openCallsAccounts } from '../filled-calls';
import { openHttpJob } from '../http-job';
import type { HttpJobOptions } from '../http-job';
import type { Turn } from '../harness';
import { drive } from '../load';
import type { Job } from '../load';
import { openRatedCalls } from '../rated-calls';
import type { RatedCalls } from '../rated-calls';
import { openRatingLoad } from '../rating-load';
import { openReceiver } from '../receiver';
import type { SideBySideEntry } from '../side-by-side';
import type { BenchStack } from '../stack';
import { openWebhookLoad } from '../webhook-load';

export interface SideBySideOptions {
  /** How many calls the accounts have made, all together. */
  rows: number;
  say: (line: string) => void;
}

type Request = ReturnType<HttpJobOptions['request']>;

const accountCount = 8;
const pageCount = 64;
const extensionCount = 5_000;
/** Rings for a minute, so that only the placing of calls is measured. */
const ringing = '551155500104';
/** Answers, and hangs up after a second. */
const answering = '551155500201';

/** The main routes and the main work behind them, for several accounts at a time, each client asking for something else. */
export function sideBySide({ rows, say }: SideBySideOptions): SideBySideEntry[] {
  const accountsOf = oncePerStack(async (stack) => {
    const sizes = Array.from({ length: accountCount }, () => Math.ceil(rows / accountCount));
    const accounts = await openCallsAccounts(stack, sizes, say);
    const ids = accounts.map(({ accountId }) => accountId);
    await grantCredit(stack.grpcOf('billing'), ids, 'bench-calls');
    return accounts;
  });
  const extensionsOf = oncePerStack((stack) => openFilledAccount(stack, extensionCount));

  /** For each account in turn. */
  const forAccounts = (requestOf: (token: string, nth: number) => Request) =>
    overHttp(async (stack) => {
      const accounts = await accountsOf(stack);
      return (nth) => requestOf(inTurn(accounts, nth).token, nth);
    });
  const listing = (queryOf: (nth: number) => string) =>
    forAccounts((token, nth) => get(`/api/v1/calls?${queryOf(nth)}`, token));

  return [
    { name: 'GET /users/me', prepare: forAccounts((token) => get('/api/v1/users/me', token)) },
    {
      name: `GET /calls, ${pageCount} pages of 50 in turn`,
      prepare: listing((nth) => `page=${1 + (Math.floor(nth / accountCount) % (pageCount / accountCount))}`),
    },
    { name: 'GET /calls by each documented field in turn', prepare: listing((nth) => inTurn(filtered, nth)) },
    {
      name: `GET /extensions, ${pageCount} pages of 50 in turn`,
      prepare: overHttp(async (stack) => {
        const { token } = await extensionsOf(stack);
        return (nth) => get(`/api/v1/extensions?page=${1 + (nth % pageCount)}&filter=${byNumber}`, token);
      }),
    },
    {
      name: 'whole calls of a second, until each has its price (simulated switch)',
      prepare: async (stack) => {
        const placed = await forAccounts((token, nth) => placing(token, answering, nth))(stack);
        const rated = await openRatedCalls(stack);
        return {
          work: wholeCalls(placed.work, rated),
          close: async () => void (await placed.close(), await rated.close()),
        };
      },
    },
    {
      name: 'POST /extensions/next-available',
      prepare: overHttp(async (stack) => {
        const { token, senha } = await extensionsOf(stack);
        return () => post('/api/v1/extensions/next-available', token, { ...person, senha });
      }),
    },
    {
      name: 'webhooks out of a backlog',
      prepare: async (stack) => {
        const receiver = await openReceiver();
        const load = await openWebhookLoad(stack, receiver);
        const hook = await load.hook(`${receiver.origin}/count`);
        return {
          work: backlog((count, onStart) => load.drain(hook, count, onStart)),
          close: async () => void (await load.close(), await receiver.close()),
        };
      },
    },
    {
      name: 'rating out of a backlog',
      prepare: async (stack) => {
        const load = await openRatingLoad(stack);
        return { work: backlog((count, onStart) => load.drain(count, onStart)), close: load.close };
      },
    },
    // The last two: their calls ring on for a minute, and what their ends cost would be counted for others.
    {
      name: 'POST /calls (simulated switch)',
      prepare: forAccounts((token, nth) => placing(token, ringing, nth)),
    },
    {
      name: 'calls with an idempotency key (simulated switch)',
      prepare: forAccounts((token, nth) => withKey(placing(token, ringing, nth))),
    },
  ];
}

const filtered = Object.values(filters).map((where) => `filter=${encodeURIComponent(JSON.stringify({ where }))}`);
const byNumber = encodeURIComponent(JSON.stringify({ limit: 50, order: 'ramal DESC' }));

const inTurn = <T>(items: readonly T[], nth: number): T => items[nth % items.length]!;

const get = (path: string, token: string): Request => ({ method: 'GET', path, headers: { authorization: token } });

/** Each of the account's people in turn. */
const placing = (token: string, called: string, nth: number): Request =>
  post('/api/v1/calls', token, {
    extension: String(1000 + (Math.floor(nth / accountCount) % agentsOfAccount)),
    called,
    metadata: { leadId: nth },
  });

const withKey = ({ headers, ...request }: Request): Request => ({
  ...request,
  headers: { ...headers, 'idempotency-key': randomUUID() },
});

const post = (path: string, token: string, body: object): Request => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', authorization: token },
  body: JSON.stringify(body),
});

/** Places calls for the time of a turn, and waits until all of them are over and priced: the turn counts what they cost until then. */
const wholeCalls = (place: Job, rated: RatedCalls): Turn => ({
  async run(durationMs, onStart) {
    const untilRated = rated.count();
    onStart?.();
    const startedAt = performance.now();
    const placed = await drive(place, 64, durationMs);
    await untilRated(placed.count);
    return { ...placed, perSecond: (placed.count * 1000) / (performance.now() - startedAt) };
  },
});

function overHttp(
  requestsOf: (stack: BenchStack) => Promise<(nth: number) => Request>,
): (stack: BenchStack) => Promise<{ work: Job; close(): Promise<void> }> {
  return async (stack) => {
    const requestOf = await requestsOf(stack);
    let next = 0;
    const { job, close } = openHttpJob({
      origin: stack.gatewayUrl,
      connections: 64,
      request: () => requestOf(next++),
      expectedStatus: 200,
    });
    return { work: job, close };
  };
}

function oncePerStack<T>(make: (stack: BenchStack) => Promise<T>): (stack: BenchStack) => Promise<T> {
  const made = new Map<BenchStack, Promise<T>>();
  return (stack) => {
    const known = made.get(stack) ?? make(stack);
    made.set(stack, known);
    return known;
  };
}

import { filters, openCallsAccounts } from '../filled-calls';
import type { CallsAccount } from '../filled-calls';
import { startFloor } from '../floors/floor-process';
import { openHop } from '../floors/hop';
import type { Entry } from '../harness';
import { openHttpJob } from '../http-job';
import { drive } from '../load';
import { once } from '../once';
import { pace } from '../paced';
import { openPlacing } from '../placing';
import type { OpenStack } from '../stack';

export interface CallsOptions {
  /** A stack with the simulated switch: with Asterisk a call needs a registered softphone. Started when it is needed. */
  openStack: OpenStack;
  /** How many calls the largest account has made. */
  rows: number;
  say: (line: string) => void;
}

const million = 1_000_000;
const floorName = 'gRPC hop';

export function calls({ openStack, rows, say }: CallsOptions): Entry[] {
  const accounts = once(async () =>
    openCallsAccounts(await openStack(), rows > million ? [million, rows] : [rows], say),
  );
  const size = (count: number): string => `${count / million}M`;

  const openListing = async ({ token }: CallsAccount, queries: string[] = ['page=1']) =>
    openLists(`${(await openStack()).gatewayUrl}/api/v1/calls`, queries, { authorization: token });

  async function openBarePages({ accountId }: CallsAccount, queries: string[]) {
    const { postgresUrl } = await openStack();
    const server = await startFloor('page-server', postgresUrl, String(accountId), String(pageSize));
    const { job, close } = openLists(`http://127.0.0.1:${server.port}/`, queries);
    return { job, close: async () => void (await close(), await server.close()) };
  }

  const againstHop = (open: () => Promise<Awaited<ReturnType<typeof openListing>>>): Entry['prepare'] => {
    return async () => {
      const [hop, product] = [await openHop(), await open()];
      const close = async () => void (await Promise.all([hop.close(), product.close()]));
      return { floor: hop.job, product: product.job, close };
    };
  };

  return [
    {
      name: 'POST /calls accepted (simulated switch)',
      floorName,
      target: 0.75,
      prepare: againstHop(async () => openPlacing(await openStack())),
    },
    {
      name: 'POST /calls at half its ceiling (p99 to be ≤ 40 ms)',
      floorName,
      prepare: async () => {
        const [hop, placing] = [await openHop(), await openPlacing(await openStack())];
        await drive(placing.job, 64, 1_000);
        const { perSecond } = await drive(placing.job, 64, 2_000);
        return {
          floor: hop.job,
          product: { run: (durationMs) => pace(placing.job, perSecond / 2, durationMs) },
          close: async () => void (await Promise.all([hop.close(), placing.close()])),
        };
      },
    },
    {
      name: `GET /calls, a page of 50 out of ${size(Math.min(rows, million))}, exact total`,
      floorName,
      target: 0.4,
      prepare: againstHop(async () => openListing((await accounts())[0]!)),
    },
    {
      name: `GET /calls out of ${size(Math.min(rows, million))}, ${pages.length} pages in turn`,
      floorName: 'the same pages from one process, http and pg',
      prepare: async () => {
        const account = (await accounts())[0]!;
        const full = pages.slice(0, account.rows / pageSize);
        const [bare, product] = [await openBarePages(account, full), await openListing(account, full)];
        const close = async () => void (await Promise.all([bare.close(), product.close()]));
        return { floor: bare.job, product: product.job, close };
      },
    },
    ...(rows > million
      ? [
          {
            name: `GET /calls, a page of 50 out of ${size(rows)}`,
            floorName: `out of ${size(million)}`,
            target: 0.85,
            prepare: async () => {
              const [small, large] = await accounts();
              const [floor, product] = [await openListing(small!), await openListing(large!)];
              const close = async () => void (await Promise.all([floor.close(), product.close()]));
              return { floor: floor.job, product: product.job, close };
            },
          },
        ]
      : []),
    {
      name: `GET /calls out of ${size(rows)}, by each documented field in turn`,
      floorName,
      // More costly searches of one account at a time would be refused.
      concurrency: 16,
      prepare: againstHop(async () => openListing((await accounts()).at(-1)!, filtered)),
    },
  ];
}

const pageSize = 50;
const pages = Array.from({ length: 64 }, (_, index) => `page=${index + 1}`);
const filtered = Object.values(filters).map((where) => `filter=${encodeURIComponent(JSON.stringify({ where }))}`);

/** Asks for one list after the other. */
function openLists(url: string, queries: string[], headers: Record<string, string> = {}) {
  const { origin, pathname } = new URL(url);
  let next = 0;
  const request = () => ({ method: 'GET' as const, path: `${pathname}?${queries[next++ % queries.length]}`, headers });
  return openHttpJob({ origin, connections: 64, request, expectedStatus: 200 });
}

import { randomUUID } from 'node:crypto';
import { Caller, Role } from '@sabia/protos/sabia/api/v1/caller';
import type { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import { createOutbox } from '@sabia/service-kit/events/outbox';
import type { RpcContext, Handlers } from '@sabia/service-kit/grpc/handler';
import { createLogger } from '@sabia/service-kit/logging';
import { createDatabase } from '@sabia/service-kit/postgres/database';
import type { Database } from '@sabia/service-kit/postgres/database';
import { runInScope } from '@sabia/service-kit/request-scope';
import { createTestDatabase } from '@sabia/testkit/database';
import { patient } from '@sabia/testkit/patient';
import { createRateBook } from '../src/domain/rate-book';
import type { RateBook } from '../src/domain/rate-book';
import { onCallEnded } from '../src/events/on-call-ended';
import { createProviders } from '../src/payments/collection';
import type { Collection } from '../src/payments/collection';
import type { PaymentProvider } from '../src/payments/port';
import { createSandbox } from '../src/payments/sandbox';
import type { Dependencies } from '../src/rpc/dependencies';
import { createHandlers } from '../src/rpc/handlers';
import { createRateCache } from '../src/storage/rate-cache';
import type { RateCache } from '../src/storage/rate-cache';

export const log = createLogger({ name: 'test', level: 'silent' });

type Rpcs = Required<Handlers<BillingServiceService>>;
export type Rpc = keyof Rpcs;
export type RequestOf<R extends Rpc> = Parameters<Rpcs[R]>[0];
export type ResponseOf<R extends Rpc> = Awaited<ReturnType<Rpcs[R]>>;

export interface Stage {
  database: Database;
  url: string;
  collection: Collection;
  rates: RateBook & Pick<RateCache, 'refresh'>;
  consumer: ReturnType<typeof onCallEnded>;
  /** As an ADMIN of the account, unless said otherwise. */
  call<R extends Rpc>(
    rpc: R,
    request: Partial<RequestOf<R>>,
    caller?: Partial<Caller>,
    /** Of the call: what it says beyond that, and what the rpc tells of its answer. */
    context?: Partial<RpcContext>,
  ): Promise<ResponseOf<R>>;
  /** What was written to the outbox, in order: "billing.charge.created 7". */
  events(accountId?: number): Promise<string[]>;
  /** A default deck with one price for everything. */
  setPrice(minutePrice: string, minimumSeconds?: number, incrementSeconds?: number): Promise<void>;
  grant(accountId: number, reais: number): Promise<void>;
  close(): Promise<void>;
}

export interface StageOptions {
  now?: () => Date;
  provider?: PaymentProvider;
  poolSize?: number;
  reservationSeconds?: number;
  graceSeconds?: number;
  lowThreshold?: number;
}

export const sandbox = createSandbox({
  pixKey: '00000000-0000-4000-8000-000000000000',
  merchantName: 'SABIA',
  merchantCity: 'SAO PAULO',
});

export const callerOf = (caller: Partial<Caller>): Caller =>
  Caller.fromPartial({ accountId: 1, userId: 11, role: Role.ADMIN, timeZone: 'America/Sao_Paulo', ...caller });

/** What the service keeps apart: the rates and their reload. */
export function openRates(database: Database): Stage['rates'] {
  const cache = createRateCache({ database, log });
  return { ...createRateBook(() => cache.decks), refresh: () => cache.refresh() };
}

/** Billing without its process: the real rpcs on a real database. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { now = () => new Date(), provider = sandbox, poolSize = 10, lowThreshold = 0 } = options;
  const testDatabase = await createTestDatabase('billing');
  const database = createDatabase({
    ...patient,
    url: testDatabase.url,
    applicationName: 'billing test',
    poolSize,
    log,
  });
  const rates = openRates(database);
  const collection: Collection = {
    database,
    outbox: createOutbox({ poke: () => undefined, now }),
    log,
    providers: createProviders(provider, [sandbox]),
    allowSandbox: true,
    lowThreshold,
    tellBalance: () => undefined,
    pageUrl: (token) => `http://sabia.test/pay/${token}`,
    now,
  };
  const metrics = { booked: () => undefined };
  const dependencies: Dependencies = {
    ...collection,
    collection,
    rates,
    metrics,
    reservationSeconds: options.reservationSeconds ?? 60,
    holdPolicy: { graceSeconds: options.graceSeconds ?? 900 },
    phoneCountry: 'BR',
  };
  const handlers = createHandlers(dependencies) as Rpcs;
  await rates.refresh();

  const stage: Stage = {
    database,
    url: testDatabase.url,
    collection,
    rates,
    consumer: onCallEnded({ ...collection, rates, metrics }),
    call(rpc, request, caller = {}, context = {}) {
      const scope = { requestId: randomUUID(), rpc, signal: new AbortController().signal, caller: callerOf(caller) };
      const handler = handlers[rpc] as (request: unknown, context: RpcContext) => Promise<never>;
      return runInScope(scope, () => handler(request, Object.assign(context, scope, { log })));
    },
    async events(accountId) {
      const rows = await database.query<{ type: string; account_id: number }>(
        'SELECT type, account_id FROM outbox WHERE $1::bigint IS NULL OR account_id = $1 ORDER BY position',
        [accountId ?? null],
      );
      return rows.map(({ type, account_id }) => (accountId === undefined ? `${type} ${account_id}` : type));
    },
    async setPrice(minutePrice, minimumSeconds = 30, incrementSeconds = 6) {
      await database.query(
        `WITH deck AS (
           INSERT INTO rate_decks (name) VALUES ('default')
           ON CONFLICT (name) DO UPDATE SET version = rate_decks.version + 1 RETURNING id
         ), rate AS (
           INSERT INTO rates (deck_id, prefix, valid_from, minute_price, minimum_seconds, increment_seconds, description)
           SELECT id, '55', to_timestamp(0), $1, $2, $3, 'Brazil' FROM deck
           ON CONFLICT (deck_id, prefix, valid_from) DO UPDATE
           SET minute_price = excluded.minute_price, minimum_seconds = excluded.minimum_seconds,
               increment_seconds = excluded.increment_seconds
         )
         UPDATE rates_version SET version = version + 1`,
        [minutePrice, minimumSeconds, incrementSeconds],
      );
      await rates.refresh();
    },
    async grant(accountId, reais) {
      await stage.call('grantCredit', {
        accountId,
        amount: Math.round(reais * 10_000),
        key: randomUUID(),
        description: '',
      });
    },
    async close() {
      await database.close();
      await testDatabase.drop();
    },
  };
  return stage;
}

import type { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Money } from '../domain/money';
import type { RateBook } from '../domain/rate-book';
import type { TellBalance } from '../events/tell-balances';
import type { Collection } from '../payments/collection';
import type { RatingMetrics } from '../rating-metrics';
import type { HoldPolicy } from '../storage/hold-credit';

/** The parts that the rpcs share; each takes only those it uses. */
export interface Dependencies {
  database: Database;
  outbox: Outbox;
  collection: Collection;
  rates: RateBook;
  reservationSeconds: number;
  holdPolicy: HoldPolicy;
  lowThreshold: Money;
  tellBalance: TellBalance;
  metrics: RatingMetrics;
  phoneCountry: string;
  now: () => Date;
}

export type Handler<Rpc extends keyof BillingServiceService> = NonNullable<Handlers<BillingServiceService>[Rpc]>;

import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { unavailable } from '@sabia/service-kit/errors';
import type { GatewayName } from '../domain/charge';
import type { Money } from '../domain/money';
import type { TellBalance } from '../events/tell-balances';
import type { PaymentProvider } from './port';

/** The parts for collecting money; each function takes only those it uses. */
export interface Collection {
  database: Database;
  outbox: Outbox;
  log: Logger;
  providers: Providers;
  /** Whether the button on the page of a sandbox charge exists. */
  allowSandbox: boolean;
  lowThreshold: Money;
  tellBalance: TellBalance;
  /** The address of the payer's page of a charge. */
  pageUrl: (token: string) => string;
  now: () => Date;
}

export interface Providers {
  /** The provider of new charges and financial accounts. */
  current: PaymentProvider;
  /** The provider of an earlier charge, possibly under another configuration. */
  of(gateway: GatewayName): PaymentProvider;
}

export function createProviders(current: PaymentProvider, others: PaymentProvider[]): Providers {
  const known = new Map([...others, current].map((provider) => [provider.name, provider]));
  return {
    current,
    of(gateway) {
      const provider = known.get(gateway);
      if (provider === undefined) {
        throw unavailable(`The payment gateway ${gateway} is not configured.`, 60);
      }
      return provider;
    },
  };
}

export const afterSeconds = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1_000);

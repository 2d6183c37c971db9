import { createHash } from 'node:crypto';
import { BillingServiceService } from '@sabia/protos/sabia/billing/v1/service';
import { IdentityServiceService } from '@sabia/protos/sabia/identity/v1/service';
import { createGrpcClient } from '@sabia/service-kit/grpc/client';

/** 100 reais, in 1/10000. */
const AMOUNT = 1_000_000;

export interface DemoCreditOptions {
  token: string;
  /** gRPC addresses. */
  identity: string;
  billing: string;
}

/** Grants credit without a payment. No public route does that, so billing's rpc is called; it grants the credit once, however often it is called. */
export async function grantDemoCredit({ token, identity, billing }: DemoCreditOptions): Promise<void> {
  const people = createGrpcClient(IdentityServiceService, { address: identity, idempotentMethods: ['authenticate'] });
  const ledger = createGrpcClient(BillingServiceService, { address: billing, idempotentMethods: ['grantCredit'] });
  try {
    const { caller } = await people.authenticate({ tokenHash: createHash('sha256').update(token).digest() });
    if (!caller) throw new Error('the demo token belongs to no user');
    await ledger.grantCredit({
      accountId: caller.accountId,
      amount: AMOUNT,
      key: 'demo',
      description: 'Credit of the demo account',
    });
  } finally {
    people.close();
    ledger.close();
  }
}

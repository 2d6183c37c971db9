import { credentials } from '@grpc/grpc-js';
import { BillingServiceClient } from '@sabia/protos/sabia/billing/v1/service';

/** More than any measurement can use up. */
const plenty = 1_000_000_000;

export async function grantCredit(billing: string, accountIds: readonly number[], key: string): Promise<void> {
  const client = new BillingServiceClient(billing, credentials.createInsecure());
  try {
    for (const accountId of accountIds) {
      await new Promise<void>((resolve, reject) => {
        client.grantCredit({ accountId, amount: plenty, key, description: 'Bench' }, (error) =>
          error ? reject(error) : resolve(),
        );
      });
    }
  } finally {
    client.close();
  }
}

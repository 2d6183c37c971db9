import { dayOf } from '../domain/calendar';
import { chargeChanged } from '../events/published';
import { markOverdue } from '../storage/charges';
import type { Collection } from './collection';

const chargesAtOnce = 500;

/** Charges whose day has passed in São Paulo; tells how many. Safe with any number of replicas. */
export async function passDueCharges({ database, outbox, now }: Collection): Promise<number> {
  return database.transaction(async (tx) => {
    const overdue = await markOverdue(tx, dayOf(now()), now(), chargesAtOnce);
    await outbox.write(
      tx,
      overdue.map((charge) => chargeChanged(charge, 'overdue')),
    );
    return overdue.length;
  });
}

import { dayOf } from '../domain/calendar';
import { chargeChanged } from '../events/published';
import { markOverdue } from '../storage/charges';
import type { Collection } from './collection';

const chargesAtOnce = 500;

/** Marks charges as overdue whose day has passed in São Paulo; returns their number. Several replicas may do this at once. */
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

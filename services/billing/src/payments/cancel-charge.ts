import { conflict, notFound } from '@sabia/service-kit/errors';
import { leaveScope } from '@sabia/service-kit/request-scope';
import type { Charge } from '../domain/charge';
import { isOpen } from '../domain/charge-status';
import { findCharge, lockCharge } from '../storage/charges';
import { changeCharge } from './change-charge';
import type { Collection } from './collection';
import { PaymentRefused } from './port';

const notCancellable = () => conflict('CHARGE_NOT_CANCELLABLE', 'Only an open charge can be cancelled.');

/** Cancels at the provider first, so that the charge can no longer be paid; the other order could lose a payment. */
export async function cancelCharge(collection: Collection, accountId: number, id: number): Promise<Charge> {
  const { database, providers } = collection;
  const charge = await findCharge(database, accountId, id);
  if (charge?.paymentId === undefined) {
    throw notFound('charge', id);
  }
  if (!isOpen(charge.status)) {
    throw notCancellable();
  }
  const { paymentId, gateway } = charge;
  return leaveScope(async () => {
    await providers
      .of(gateway)
      .cancelPayment(paymentId)
      .catch((error: unknown) => {
        throw error instanceof PaymentRefused ? notCancellable() : error;
      });
    return database.transaction(async (tx) => {
      const locked = await lockCharge(tx, id);
      // The provider's notification of this cancellation may have arrived earlier.
      if (locked?.status === 'CANCELLED') {
        return locked;
      }
      const cancelled = locked && (await changeCharge(collection, tx, locked, { event: 'cancelled' }));
      if (cancelled === undefined) {
        throw notCancellable();
      }
      return cancelled;
    });
  });
}

import { conflict, notFound } from '@sabia/service-kit/errors';
import { leaveScope } from '@sabia/service-kit/request-scope';
import type { Charge } from '../domain/charge';
import { isPaid } from '../domain/charge-status';
import { lockCharge } from '../storage/charges';
import { setTask } from '../storage/provider-tasks';
import { changeCharge } from './change-charge';
import { afterSeconds } from './collection';
import type { Collection } from './collection';
import { performTask } from './provider-tasks';

const tryAgainAfterSeconds = 60;

/**
 * Takes the credit first, in one transaction with the task for the provider, so that no returned money can still be spent by a
 * call. Refused if the credit has been spent.
 */
export async function refundCharge(collection: Collection, accountId: number, id: number): Promise<Charge> {
  const { database, now } = collection;
  const { charge, fresh } = await database.transaction(async (tx) => {
    const locked = await lockCharge(tx, id);
    if (locked === undefined || locked.accountId !== accountId || locked.paymentId === undefined) {
      throw notFound('charge', id);
    }
    if (locked.status === 'REFUNDED') {
      return { charge: locked, fresh: false };
    }
    const news = { event: 'refunded' as const };
    const changed = isPaid(locked.status) ? await changeCharge(collection, tx, locked, news, 'ours') : undefined;
    if (changed === undefined) {
      throw conflict('CHARGE_NOT_REFUNDABLE', 'Only a paid charge can be refunded.');
    }
    await setTask(tx, id, 'refund', afterSeconds(now(), tryAgainAfterSeconds));
    return { charge: changed, fresh: true };
  });
  if (fresh) {
    await leaveScope(() => performTask(collection, 'refund', charge));
  }
  return charge;
}

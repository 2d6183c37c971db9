import type { Charge } from '../domain/charge';
import { claimTasks, clearTask, giveUpCreation, setTask } from '../storage/provider-tasks';
import type { ProviderTask } from '../storage/provider-tasks';
import { afterSeconds } from './collection';
import type { Collection } from './collection';
import { PaymentRefused } from './port';

const leaseSeconds = 60;
const refusedAgainSeconds = 3_600;
const tasksAtOnce = 20;

/** Performs due tasks at the providers; returns their number. Several replicas may do this at once. */
export async function performDueTasks(collection: Collection): Promise<number> {
  const { database, now } = collection;
  const tasks = await claimTasks(database, now(), afterSeconds(now(), leaseSeconds), tasksAtOnce);
  for (const { task, charge } of tasks) {
    await performTask(collection, task, charge);
  }
  return tasks.length;
}

/** Never rejects: a failed task stays due. */
export async function performTask(collection: Collection, task: ProviderTask, charge: Charge): Promise<void> {
  const { database, log, now, providers } = collection;
  try {
    if (task === 'create') {
      // Its process has died. Withdrawing it also finds out whether the provider had accepted it.
      await giveUpCreation(database, charge.id, now(), now());
      return;
    }
    const provider = providers.of(charge.gateway);
    if (task === 'withdraw') {
      await provider.withdrawPayment(charge.id);
    } else if (charge.paymentId !== undefined) {
      await provider.refundPayment(charge.paymentId);
    }
    await clearTask(database, charge.id, task);
  } catch (error) {
    if (error instanceof PaymentRefused) {
      log.error(
        { err: error, task, chargeId: charge.id },
        'the payment provider refuses; an operator has to look at it',
      );
      await setTask(database, charge.id, task, afterSeconds(now(), refusedAgainSeconds));
    } else {
      log.warn({ err: error, task, chargeId: charge.id }, 'a task at the payment provider failed, trying again');
    }
  }
}

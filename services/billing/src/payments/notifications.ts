import { isStrayPayment } from '../domain/charge-status';
import { isUnclear } from '../domain/charge-step';
import type { GatewayName } from '../domain/charge';
import { lockChargeOfPayment } from '../storage/charges';
import { recordNotification, recordOutcome } from '../storage/payment-notifications';
import { adoptPayment } from '../storage/provider-tasks';
import { changeCharge } from './change-charge';
import type { Collection } from './collection';
import type { PaymentNotification } from './port';

export type NotificationOutcome = 'repeated' | 'unknown' | 'stray' | 'unclear' | 'ignored' | 'applied';

/**
 * Applies a provider's notification about a payment. In any order and number, each notification counts once and the charge only
 * moves forward; notification, charge, credit and event are written in one transaction.
 */
export async function applyNotification(
  collection: Collection,
  gateway: GatewayName,
  notification: PaymentNotification,
): Promise<NotificationOutcome> {
  const { database, log, now } = collection;
  const { id, paymentId, chargeId, event, amount } = notification;
  return database.transaction(async (tx) => {
    if (!(await recordNotification(tx, { gateway, id, paymentId, event, receivedAt: now() }))) {
      return 'repeated';
    }
    const charge = await lockChargeOfPayment(tx, { gateway, paymentId, chargeId });
    if (charge === undefined) {
      log.warn({ gateway, paymentId, event }, 'a notification about a payment without a charge');
      await recordOutcome(tx, { gateway, id }, null, 'unknown');
      return 'unknown';
    }
    if (isUnclear(charge, notification)) {
      log.error(
        { chargeId: charge.id, gateway, paymentId, event },
        'a notification does not say how much money has moved; nothing is booked, an operator has to look at it',
      );
      await recordOutcome(tx, { gateway, id }, charge.id, 'unclear');
      return 'unclear';
    }
    if (amount !== undefined && amount !== charge.amount) {
      log.warn(
        { chargeId: charge.id, paid: amount, due: charge.amount },
        'a payment of another amount than its charge; what arrived is booked',
      );
    }
    const stray = isStrayPayment(charge.status, event);
    if (stray) {
      log.error(
        { chargeId: charge.id, gateway, paymentId },
        'a cancelled charge was paid; an operator has to look at it',
      );
    }
    const changed = await changeCharge(collection, tx, charge, notification);
    if (changed !== undefined && charge.paymentId === undefined) {
      await adoptPayment(tx, charge.id, paymentId);
    }
    const outcome = changed === undefined ? (stray ? 'stray' : 'ignored') : 'applied';
    await recordOutcome(tx, { gateway, id }, charge.id, outcome);
    return outcome;
  });
}

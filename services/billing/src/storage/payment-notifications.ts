import type { Transaction } from '@sabia/service-kit/postgres/database';

export interface NotificationRecord {
  gateway: string;
  id: string;
  paymentId: string;
  event: string;
  receivedAt: Date;
}

/** False if this notification was handled before. */
export async function recordNotification(tx: Transaction, notification: NotificationRecord): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO payment_notifications (gateway, notification_id, payment_id, event, outcome, received_at)
     VALUES ($1, $2, $3, $4, 'received', $5) ON CONFLICT DO NOTHING RETURNING 1`,
    [notification.gateway, notification.id, notification.paymentId, notification.event, notification.receivedAt],
    { name: 'record-notification' },
  );
  return rows.length === 1;
}

export async function recordOutcome(
  tx: Transaction,
  { gateway, id }: Pick<NotificationRecord, 'gateway' | 'id'>,
  chargeId: number | null,
  outcome: string,
): Promise<void> {
  await tx.query(
    'UPDATE payment_notifications SET charge_id = $3, outcome = $4 WHERE gateway = $1 AND notification_id = $2',
    [gateway, id, chargeId, outcome],
    { name: 'record-outcome' },
  );
}

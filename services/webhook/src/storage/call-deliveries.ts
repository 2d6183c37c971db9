import type { Queryable } from '@sabia/service-kit/postgres/database';
import { deliveryColumns, toListed } from './delivery-list';
import type { DeliveryRow, ListedDelivery } from './delivery-list';

export interface CallDelivery extends ListedDelivery {
  integrationId: number;
  gateway: string;
  /** Where the webhooks of the integration go now. */
  url: string | null;
}

const mostShown = 500;

/** The deliveries and unmatched events of one call for all webhooks of an account, oldest first. */
export async function listCallDeliveries(
  db: Queryable,
  { accountId, callId }: { accountId: number; callId: string },
): Promise<CallDelivery[]> {
  // The integrations first, because the index for the lookup of a call begins with the integration.
  const rows = await db.query<DeliveryRow & Omit<CallDelivery, keyof ListedDelivery>>(
    `SELECT i.id AS "integrationId", i.gateway, i.settings->>'url' AS url, d.*
     FROM integrations i
     CROSS JOIN LATERAL (
       SELECT ${deliveryColumns} FROM delivery_list WHERE integration_id = i.id AND call_id = $2
     ) d
     WHERE i.account_id = $1
     ORDER BY d."createdAt", d.id
     LIMIT ${mostShown}`,
    [accountId, callId],
    { name: 'list-call-deliveries' },
  );
  return rows.map((row) => ({ ...row, ...toListed(row) }));
}

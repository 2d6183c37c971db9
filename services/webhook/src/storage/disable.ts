import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { DisabledIntegration } from '../domain/integration';

// Deliveries that still wait for a disabled webhook are given up afterwards, see give-up.ts.

const disable = 'UPDATE integrations SET disabled_at = $1, disabled_reason = $2 WHERE disabled_at IS NULL';
const disabled = 'RETURNING id, account_id AS "accountId", user_id AS "userId", gateway, disabled_reason AS reason';

/** Undefined when the integration was disabled already. */
export async function disableIntegration(
  db: Queryable,
  id: number,
  reason: string,
  now: Date,
): Promise<DisabledIntegration | undefined> {
  const [row] = await db.query<DisabledIntegration>(`${disable} AND id = $3 ${disabled}`, [now, reason, id]);
  return row;
}

/** Disables all integrations of the user that have a webhook. */
export const disableIntegrationsOfUser = (
  db: Queryable,
  { accountId, userId }: { accountId: number; userId: number },
  reason: string,
  now: Date,
): Promise<DisabledIntegration[]> =>
  db.query<DisabledIntegration>(`${disable} AND account_id = $3 AND user_id = $4 AND webhook ${disabled}`, [
    now,
    reason,
    accountId,
    userId,
  ]);

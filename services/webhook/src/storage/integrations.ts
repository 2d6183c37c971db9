import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { Integration, IntegrationFields } from '../domain/integration';
import type { SealedSecret } from '../domain/secret-vault';

export const integrationColumns = `id, account_id AS "accountId", user_id AS "userId", gateway, webhook,
  webhook_constraint AS "webhookConstraint", metadata, settings, constraint_pairs AS "constraintPairs",
  json_build_object('keyId', secret_key_id, 'bytes', encode(secret, 'base64')) AS secret,
  disabled_reason AS "disabledReason", created_at AS "createdAt", updated_at AS "updatedAt"`;

export interface SecretText {
  keyId: string | null;
  /** In base64, the form in which PostgreSQL puts a secret into JSON. */
  bytes: string;
}

export type IntegrationRow = Omit<Integration, 'secret'> & { secret: SecretText };

export const toSealed = ({ keyId, bytes }: SecretText): SealedSecret => ({
  keyId,
  bytes: Buffer.from(bytes, 'base64'),
});

export const toIntegration = (row: IntegrationRow): Integration => ({ ...row, secret: toSealed(row.secret) });

async function first(rows: Promise<IntegrationRow[]>): Promise<Integration | undefined> {
  const [row] = await rows;
  return row === undefined ? undefined : toIntegration(row);
}

export const findIntegration = (db: Queryable, accountId: number, id: number): Promise<Integration | undefined> =>
  first(
    db.query<IntegrationRow>(
      `SELECT ${integrationColumns} FROM integrations WHERE account_id = $1 AND id = $2`,
      [accountId, id],
      { name: 'find-integration' },
    ),
  );

export const lockIntegration = (tx: Transaction, accountId: number, id: number): Promise<Integration | undefined> =>
  first(
    tx.query<IntegrationRow>(
      `SELECT ${integrationColumns} FROM integrations WHERE account_id = $1 AND id = $2 FOR UPDATE`,
      [accountId, id],
    ),
  );

export const lockIntegrationOfGateway = (
  tx: Transaction,
  key: { accountId: number; userId: number; gateway: string },
): Promise<Integration | undefined> =>
  first(
    tx.query<IntegrationRow>(
      `SELECT ${integrationColumns} FROM integrations
       WHERE account_id = $1 AND user_id = $2 AND gateway = $3 FOR UPDATE`,
      [key.accountId, key.userId, key.gateway],
    ),
  );

const fieldValues = (fields: IntegrationFields): unknown[] => [
  fields.gateway,
  fields.webhook,
  fields.webhookConstraint,
  fields.metadata,
  fields.settings === null ? null : JSON.stringify(fields.settings),
  JSON.stringify(fields.constraintPairs),
];

export async function insertIntegration(
  tx: Transaction,
  row: IntegrationFields & { accountId: number; userId: number; secret: SealedSecret },
  now: Date,
): Promise<Integration> {
  const inserted = await first(
    tx.query<IntegrationRow>(
      `INSERT INTO integrations (gateway, webhook, webhook_constraint, metadata, settings, constraint_pairs,
         account_id, user_id, secret, secret_key_id, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5::jsonb, $6::jsonb, $7, $8, $9, $10, $11, $11)
       RETURNING ${integrationColumns}`,
      [...fieldValues(row), row.accountId, row.userId, row.secret.bytes, row.secret.keyId, now],
    ),
  );
  return inserted!;
}

/** No other request creates integrations of the account before the transaction ends. */
export async function lockNewIntegrations(tx: Transaction, accountId: number): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('integrations', $1))`, [accountId]);
}

export async function countIntegrations(db: Queryable, accountId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM integrations WHERE account_id = $1',
    [accountId],
  );
  return row!.count;
}

/** A user who changes or enables a webhook wants it to be tried again: its circuit is reset. */
export async function updateIntegration(
  tx: Transaction,
  id: number,
  fields: IntegrationFields,
  { revive, now }: { revive: boolean; now: Date },
): Promise<Integration> {
  const updated = await first(
    tx.query<IntegrationRow>(
      `UPDATE integrations
       SET gateway = $1, webhook = $2, webhook_constraint = $3, metadata = $4, settings = $5::jsonb,
         constraint_pairs = $6::jsonb, updated_at = $8,
         disabled_at = CASE WHEN NOT $9 THEN disabled_at END,
         disabled_reason = CASE WHEN NOT $9 THEN disabled_reason END,
         failing_since = CASE WHEN NOT $9 THEN failing_since END,
         consecutive_failures = CASE WHEN $9 THEN 0 ELSE consecutive_failures END,
         circuit_level = CASE WHEN $9 THEN 0 ELSE circuit_level END,
         paused_until = CASE WHEN NOT $9 THEN paused_until END
       WHERE id = $7
       RETURNING ${integrationColumns}`,
      [...fieldValues(fields), id, now, revive],
    ),
  );
  return updated!;
}

export async function deleteIntegration(db: Queryable, accountId: number, id: number): Promise<boolean> {
  const rows = await db.query('DELETE FROM integrations WHERE account_id = $1 AND id = $2 RETURNING id', [
    accountId,
    id,
  ]);
  return rows.length > 0;
}

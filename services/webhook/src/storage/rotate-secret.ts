import type { Transaction } from '@sabia/service-kit/postgres/database';
import type { Integration } from '../domain/integration';
import type { PreviousSecret } from '../domain/receiver';
import type { SealedSecret } from '../domain/secret-vault';
import { integrationColumns, toIntegration } from './integrations';
import type { IntegrationRow } from './integrations';
import { previousSecretsOfRow, toPreviousSecret, unexpired } from './previous-secrets';
import type { PreviousSecretText } from './previous-secrets';

interface Key {
  accountId: number;
  id: number;
}

/** Locks the integration and answers its previous secrets that still sign, newest first; undefined when it does not exist. */
export async function lockPreviousSecrets(tx: Transaction, key: Key, now: Date): Promise<PreviousSecret[] | undefined> {
  const [row] = await tx.query<{ previous: PreviousSecretText[] }>(
    `SELECT ${unexpired(previousSecretsOfRow, '$3')} AS previous
     FROM integrations WHERE account_id = $1 AND id = $2 FOR UPDATE`,
    [key.accountId, key.id, now],
  );
  return row?.previous.map(toPreviousSecret);
}

/** The replaced secret goes on signing until the given time, and every earlier one until its own. */
export async function rotateSecret(
  tx: Transaction,
  key: Key,
  secret: SealedSecret,
  { now, until }: { now: Date; until: Date },
): Promise<Integration> {
  const [row] = await tx.query<IntegrationRow>(
    `UPDATE integrations
     SET older_secrets = ${unexpired(previousSecretsOfRow, '$5')},
       previous_secret = secret, previous_secret_key_id = secret_key_id, previous_secret_until = $6,
       secret = $3, secret_key_id = $4, updated_at = $5
     WHERE account_id = $1 AND id = $2
     RETURNING ${integrationColumns}`,
    [key.accountId, key.id, secret.bytes, secret.keyId, now, until],
  );
  return toIntegration(row!);
}

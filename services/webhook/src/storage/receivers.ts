import { anyValue } from '@sabia/service-kit/postgres/any-value';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { JsonObject } from '../domain/json-object';
import type { Receiver } from '../domain/receiver';
import { toSealed } from './integrations';
import type { SecretText } from './integrations';
import { previousSecretsOfRow, toPreviousSecret } from './previous-secrets';
import type { PreviousSecretText } from './previous-secrets';

/** A receiver with the constraint that decides which events it gets. */
export interface MatchingReceiver extends Receiver {
  constraintPairs: JsonObject;
}

type ReceiverRow = Omit<MatchingReceiver, 'secret' | 'previousSecrets'> & {
  secret: SecretText;
  previousSecrets: PreviousSecretText[];
};

const columns = `id AS "integrationId", account_id AS "accountId", settings, constraint_pairs AS "constraintPairs",
  disabled_reason AS "disabledReason", consecutive_failures AS "consecutiveFailures", circuit_level AS "circuitLevel",
  paused_until AS "pausedUntil", failing_since AS "failingSince", last_failure_at AS "lastFailureAt",
  json_build_object('keyId', secret_key_id, 'bytes', encode(secret, 'base64')) AS secret,
  ${previousSecretsOfRow} AS "previousSecrets"`;

const toReceiver = (row: ReceiverRow): MatchingReceiver => ({
  ...row,
  secret: toSealed(row.secret),
  previousSecrets: row.previousSecrets.map(toPreviousSecret),
});

/** The integrations of the accounts that have a webhook. */
export async function findReceivers(db: Queryable, accountIds: number[]): Promise<MatchingReceiver[]> {
  const rows = await db.query<ReceiverRow>(
    `SELECT ${columns} FROM integrations WHERE account_id = ANY (${anyValue('$1', 'bigint[]')}) AND webhook ORDER BY id`,
    [accountIds],
    { name: 'find-receivers' },
  );
  return rows.map(toReceiver);
}

export async function findReceiversById(db: Queryable, ids: number[]): Promise<Receiver[]> {
  const rows = await db.query<ReceiverRow>(`SELECT ${columns} FROM integrations WHERE id = ANY ($1::bigint[])`, [ids], {
    name: 'find-receivers-by-id',
  });
  return rows.map(toReceiver);
}

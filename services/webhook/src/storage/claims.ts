import type { Queryable } from '@sabia/service-kit/postgres/database';
import { receiverLimits } from '../domain/circuit';
import type { Circuit } from '../domain/circuit';
import type { SealedSecret } from '../domain/secret-vault';
import type { WebhookSettings } from '../domain/webhook-settings';
import { toSealed } from './integrations';
import type { SecretText } from './integrations';

export interface Claim extends Circuit {
  id: string;
  integrationId: number;
  accountId: number;
  payload: string;
  test: boolean;
  failures: number;
  settings: WebhookSettings | null;
  disabledReason: string | null;
  secret: SealedSecret;
  previousSecret: SealedSecret | null;
  previousSecretUntil: Date | null;
}

export interface ClaimOptions {
  now: Date;
  leaseUntil: Date;
  token: string;
  /** How many at most. */
  limit: number;
  /** Requests that this process has under way, by integration. */
  busy: ReadonlyMap<number, number>;
}

/*
 * The integrations that have open deliveries are found by hopping through the index, so the cost depends on how many receivers
 * wait, not on how much waits for them; and each gets its own share, so a long queue of one hides nobody else's.
 * A first attempt waits until the earlier events of its call have had theirs.
 */
const statement = `
  WITH RECURSIVE waiting AS (
    (SELECT integration_id FROM deliveries WHERE finished_at IS NULL ORDER BY integration_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT d.integration_id FROM deliveries d
      WHERE d.finished_at IS NULL AND d.integration_id > w.integration_id ORDER BY d.integration_id LIMIT 1
    )
    FROM waiting w WHERE w.integration_id IS NOT NULL
  ), receivers AS (
    SELECT i.id, greatest(0, CASE
        WHEN i.consecutive_failures = 0 THEN ${receiverLimits.healthy}
        WHEN i.consecutive_failures < ${receiverLimits.faultsThatOpen} THEN ${receiverLimits.shaky}
        ELSE ${receiverLimits.open}
      END - coalesce(busy.count, 0)) AS room
    FROM waiting w
    JOIN integrations i ON i.id = w.integration_id
    LEFT JOIN unnest($5::bigint[], $6::integer[]) AS busy (id, count) ON busy.id = i.id
    WHERE i.paused_until IS NULL OR i.paused_until <= $1
  ), chosen AS (
    SELECT due.id, due.due_at, due.position
    FROM receivers r
    CROSS JOIN LATERAL (
      SELECT d.id, d.due_at, d.position
      FROM deliveries d
      WHERE d.integration_id = r.id AND d.finished_at IS NULL AND d.due_at <= $1
        AND (d.attempt_count > 0 OR d.call_id IS NULL OR NOT EXISTS (
          SELECT FROM deliveries e
          WHERE e.integration_id = d.integration_id AND e.call_id = d.call_id AND e.position < d.position
            AND e.finished_at IS NULL AND e.attempt_count = 0
        ))
      ORDER BY d.due_at, d.position
      LIMIT r.room
      FOR UPDATE OF d SKIP LOCKED
    ) due
    LIMIT $4
  ), claimed AS (
    UPDATE deliveries d SET due_at = $2, lease_token = $3 FROM chosen c WHERE d.id = c.id
    RETURNING d.id, d.integration_id, d.payload, d.test, d.failures, d.position
  )
  SELECT c.id, c.integration_id AS "integrationId", i.account_id AS "accountId", c.payload, c.test, c.failures,
    i.settings, i.disabled_reason AS "disabledReason", i.consecutive_failures AS "consecutiveFailures",
    i.circuit_level AS "circuitLevel", i.paused_until AS "pausedUntil", i.failing_since AS "failingSince",
    json_build_object('keyId', i.secret_key_id, 'bytes', encode(i.secret, 'base64')) AS secret,
    CASE WHEN i.previous_secret IS NOT NULL THEN
      json_build_object('keyId', i.previous_secret_key_id, 'bytes', encode(i.previous_secret, 'base64'))
    END AS "previousSecret",
    i.previous_secret_until AS "previousSecretUntil"
  FROM claimed c JOIN integrations i ON i.id = c.integration_id
  ORDER BY c.position`;

type ClaimRow = Omit<Claim, 'secret' | 'previousSecret'> & { secret: SecretText; previousSecret: SecretText | null };

/** Takes what is due. Nobody else gets it before the lease ends; no transaction stays open meanwhile. */
export async function claimDeliveries(db: Queryable, options: ClaimOptions): Promise<Claim[]> {
  const { now, leaseUntil, token, limit, busy } = options;
  // Planned anew each time: a plan that was made while the queue was empty would read all of it when it is long.
  const rows = await db.query<ClaimRow>(statement, [
    now,
    leaseUntil,
    token,
    limit,
    [...busy.keys()],
    [...busy.values()],
  ]);
  return rows.map((row) => ({
    ...row,
    secret: toSealed(row.secret),
    previousSecret: row.previousSecret === null ? null : toSealed(row.previousSecret),
  }));
}

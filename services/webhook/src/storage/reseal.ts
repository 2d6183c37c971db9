import type { Logger } from '@sabia/service-kit/logging';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { SealedSecret, SecretVault } from '../domain/secret-vault';
import { toSealed } from './integrations';
import { unexpired } from './previous-secrets';
import type { PreviousSecretText } from './previous-secrets';

interface Row {
  id: number;
  accountId: number;
  secret: Buffer;
  keyId: string | null;
  previousSecret: Buffer | null;
  previousKeyId: string | null;
  olderSecrets: PreviousSecretText[];
}

const chunk = 100;

/**
 * Encrypts every secret with the current key, so that older keys can be removed from WEBHOOK_KEYS. Several replicas may do it at
 * once: a row that has changed meanwhile is left to the next round.
 */
export async function resealSecrets(
  db: Queryable,
  vault: SecretVault,
  { log, now }: { log: Logger; now: Date },
): Promise<void> {
  if (vault.keyId === null) {
    return;
  }
  await forgetExpired(db, now);
  let [resealed, stuck, after] = [0, 0, 0];
  for (;;) {
    const rows = await findOthers(db, vault.keyId, after);
    for (const row of rows) {
      try {
        await write(db, row, reseal(vault, row));
        resealed += 1;
      } catch (error) {
        stuck += 1;
        log.error(
          { err: error, integration: row.id },
          'the secret of a webhook cannot be encrypted with the current key',
        );
      }
      after = row.id;
    }
    if (rows.length < chunk) {
      break;
    }
  }
  if (resealed > 0 && stuck === 0) {
    log.info(
      { resealed, key: vault.keyId },
      'all secrets of webhooks are encrypted with the current key; older keys are not needed',
    );
  }
}

async function forgetExpired(db: Queryable, now: Date): Promise<void> {
  await db.query(
    `UPDATE integrations SET previous_secret = NULL, previous_secret_key_id = NULL, previous_secret_until = NULL
     WHERE previous_secret_until < $1`,
    [now],
  );
  await db.query(
    `UPDATE integrations SET older_secrets = ${unexpired('older_secrets', '$1')}
     WHERE older_secrets <> '[]' AND older_secrets <> ${unexpired('older_secrets', '$1')}`,
    [now],
  );
}

const findOthers = (db: Queryable, keyId: string, after: number): Promise<Row[]> =>
  db.query<Row>(
    `SELECT id, account_id AS "accountId", secret, secret_key_id AS "keyId", previous_secret AS "previousSecret",
       previous_secret_key_id AS "previousKeyId", older_secrets AS "olderSecrets"
     FROM integrations
     WHERE id > $2 AND (secret_key_id IS DISTINCT FROM $1
       OR previous_secret IS NOT NULL AND previous_secret_key_id IS DISTINCT FROM $1
       OR EXISTS (SELECT FROM jsonb_array_elements(older_secrets) AS o WHERE o->>'keyId' IS DISTINCT FROM $1))
     ORDER BY id LIMIT ${chunk}`,
    [keyId, after],
  );

interface Resealed {
  current: SealedSecret;
  previous: SealedSecret | null;
  older: PreviousSecretText[];
}

function reseal(vault: SecretVault, row: Row): Resealed {
  const again = (sealed: SealedSecret): SealedSecret => vault.seal(row.accountId, vault.open(row.accountId, sealed));
  return {
    current: again({ keyId: row.keyId, bytes: row.secret }),
    previous: row.previousSecret === null ? null : again({ keyId: row.previousKeyId, bytes: row.previousSecret }),
    older: row.olderSecrets.map((text) => {
      const { keyId, bytes } = again(toSealed(text));
      return { ...text, keyId, bytes: bytes.toString('base64') };
    }),
  };
}

async function write(db: Queryable, row: Row, { current, previous, older }: Resealed): Promise<void> {
  await db.query(
    `UPDATE integrations
     SET secret = $3, secret_key_id = $4, previous_secret = $5, previous_secret_key_id = $6, older_secrets = $8::jsonb
     WHERE id = $1 AND secret = $2 AND previous_secret IS NOT DISTINCT FROM $7 AND older_secrets = $9::jsonb`,
    [
      row.id,
      row.secret,
      current.bytes,
      current.keyId,
      previous?.bytes ?? null,
      previous?.keyId ?? null,
      row.previousSecret,
      JSON.stringify(older),
      JSON.stringify(row.olderSecrets),
    ],
  );
}

import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { Credentials, ExtensionFields, StoredExtension } from '../domain/extension';

export const extensionColumns = `id, account_id AS "accountId", domain, ramal, bina,
  bina_as_sent AS "binaAsSent", first_name AS "firstName", last_name AS "lastName", email_address AS "emailAddress", gravar_audio AS "gravarAudio", registered,
  registered_at AS "registeredAt", senha_key_id AS "senhaKeyId", senha_sealed AS "senhaSealed", ha1`;

/** Events from before this margin are not about a new extension; clocks may differ by as much. */
const firstNews = (parameter: string): string => `${parameter}::timestamptz - interval '5 seconds'`;

export type NewRow = ExtensionFields & Credentials & { accountId: number; domain: string };

/** Inserts all of them in one statement; returns them in the same order. */
export async function insertExtensions(tx: Transaction, rows: NewRow[], now: Date): Promise<StoredExtension[]> {
  const inserted = await tx.query<StoredExtension>(
    `INSERT INTO extensions (account_id, domain, ramal, bina, bina_as_sent, first_name, last_name, email_address,
       gravar_audio, senha_key_id, senha_sealed, ha1, created_at, updated_at, registration_changed_at)
     SELECT account_id, domain, ramal, bina, bina_as_sent, first_name, last_name, email_address,
       gravar_audio, senha_key_id, senha_sealed, ha1, $13, $13, ${firstNews('$13')}
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::boolean[], $10::text[], $11::bytea[], $12::text[])
       AS new (account_id, domain, ramal, bina, bina_as_sent, first_name, last_name, email_address,
         gravar_audio, senha_key_id, senha_sealed, ha1)
     RETURNING ${extensionColumns}`,
    [
      rows.map(({ accountId }) => accountId),
      rows.map(({ domain }) => domain),
      rows.map(({ ramal }) => ramal),
      rows.map(({ bina }) => bina),
      rows.map(({ binaAsSent }) => binaAsSent),
      rows.map(({ firstName }) => firstName),
      rows.map(({ lastName }) => lastName),
      rows.map(({ emailAddress }) => emailAddress),
      rows.map(({ gravarAudio }) => gravarAudio),
      rows.map(({ senhaKeyId }) => senhaKeyId),
      rows.map(({ senhaSealed }) => senhaSealed),
      rows.map(({ ha1 }) => ha1),
      now,
    ],
    { name: 'insert-extensions' },
  );
  const nameOf = ({ accountId, ramal }: { accountId: number; ramal: string }) => `${accountId} ${ramal}`;
  const byName = new Map(inserted.map((extension) => [nameOf(extension), extension]));
  return rows.map((row) => byName.get(nameOf(row))!);
}

/** The lowest numbers from 1000 on that are free. No other request of the account takes or frees one before the transaction ends. */
export async function lowestFreeNumbers(tx: Transaction, accountId: number, count: number): Promise<string[]> {
  const rows = await tx.query<{ ramal: string }>('SELECT lowest_free_numbers($1, $2) AS ramal', [accountId, count], {
    name: 'lowest-free-numbers',
  });
  return rows.map(({ ramal }) => ramal);
}

export async function findExtension(
  db: Queryable,
  accountId: number,
  id: number,
): Promise<StoredExtension | undefined> {
  const [extension] = await db.query<StoredExtension>(
    `SELECT ${extensionColumns} FROM extensions WHERE account_id = $1 AND id = $2`,
    [accountId, id],
    { name: 'find-extension' },
  );
  return extension;
}

export async function listExtensionsOfAccount(db: Queryable, accountId: number): Promise<StoredExtension[]> {
  return db.query<StoredExtension>(`SELECT ${extensionColumns} FROM extensions WHERE account_id = $1 ORDER BY id`, [
    accountId,
  ]);
}

/** The oldest one that carries the e-mail address, in any spelling. */
export async function findExtensionOfUser(
  db: Queryable,
  accountId: number,
  email: string,
): Promise<StoredExtension | undefined> {
  const [extension] = await db.query<StoredExtension>(
    `SELECT ${extensionColumns} FROM extensions
     WHERE account_id = $1 AND lower(email_address) = lower($2) ORDER BY id LIMIT 1`,
    [accountId, email],
    { name: 'find-extension-of-user' },
  );
  return extension;
}

export async function lockExtension(
  tx: Transaction,
  accountId: number,
  id: number,
): Promise<StoredExtension | undefined> {
  const [extension] = await tx.query<StoredExtension>(
    `SELECT ${extensionColumns} FROM extensions WHERE account_id = $1 AND id = $2 FOR UPDATE`,
    [accountId, id],
    { name: 'lock-extension' },
  );
  return extension;
}

/** An extension with a new number is unregistered until a softphone registers with it. */
export async function updateExtension(
  tx: Transaction,
  id: number,
  row: ExtensionFields & Credentials,
  now: Date,
): Promise<StoredExtension> {
  const [extension] = await tx.query<StoredExtension>(
    `UPDATE extensions
     SET ramal = $2, bina = $3, bina_as_sent = $4, first_name = $5, last_name = $6, email_address = $7, gravar_audio = $8,
         senha_key_id = $9, senha_sealed = $10, ha1 = $11, updated_at = $12,
         registered = registered AND ramal = $2,
         registered_at = CASE WHEN ramal = $2 THEN registered_at END,
         registration_changed_at = CASE WHEN ramal = $2 THEN registration_changed_at ELSE ${firstNews('$12')} END
     WHERE id = $1
     RETURNING ${extensionColumns}`,
    [
      id,
      row.ramal,
      row.bina,
      row.binaAsSent,
      row.firstName,
      row.lastName,
      row.emailAddress,
      row.gravarAudio,
      row.senhaKeyId,
      row.senhaSealed,
      row.ha1,
      now,
    ],
    { name: 'update-extension' },
  );
  return extension!;
}

export async function deleteExtension(
  tx: Transaction,
  accountId: number,
  id: number,
): Promise<StoredExtension | undefined> {
  const [extension] = await tx.query<StoredExtension>(
    `DELETE FROM extensions WHERE account_id = $1 AND id = $2 RETURNING ${extensionColumns}`,
    [accountId, id],
    { name: 'delete-extension' },
  );
  return extension;
}

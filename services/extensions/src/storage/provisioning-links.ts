import type { Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { StoredExtension } from '../domain/extension';
import { extensionColumns } from './extensions';

/** Linphone may fetch its settings twice: when it reads the link, and when it restarts with them. Once more for a lost answer. */
const mostFetches = 3;

const isGood = `token_hash = $1 AND expires_at > $2 AND fetches < ${mostFetches}
  AND (opened_at IS NULL OR opened_at > $2::timestamptz - interval '2 minutes')`;

export interface NewLink {
  accountId: number;
  extensionId: number;
  hash: Buffer;
  expiresAt: Date;
}

/** The link that the extension had before is gone. False: the extension is, too; one that is being deleted is waited for. */
export async function replaceLink(db: Queryable, link: NewLink): Promise<boolean> {
  const rows = await db.query(
    `INSERT INTO provisioning_links (extension_id, token_hash, expires_at)
     SELECT id, $3, $4 FROM extensions WHERE account_id = $1 AND id = $2 FOR KEY SHARE
     ON CONFLICT (extension_id) DO UPDATE
     SET token_hash = excluded.token_hash, expires_at = excluded.expires_at, opened_at = NULL, fetches = 0
     RETURNING 1`,
    [link.accountId, link.extensionId, link.hash, link.expiresAt],
    { name: 'replace-provisioning-link' },
  );
  return rows.length > 0;
}

export async function isGoodLink(db: Queryable, hash: Buffer, now: Date): Promise<boolean> {
  const rows = await db.query(`SELECT 1 FROM provisioning_links WHERE ${isGood}`, [hash, now], {
    name: 'is-good-provisioning-link',
  });
  return rows.length > 0;
}

/** The extension behind a link, which counts as opened from now on. */
export async function openLink(db: Queryable, hash: Buffer, now: Date): Promise<StoredExtension | undefined> {
  const [extension] = await db.query<StoredExtension>(
    `WITH opened AS (
       UPDATE provisioning_links SET opened_at = coalesce(opened_at, $2), fetches = fetches + 1
       WHERE ${isGood} RETURNING extension_id
     )
     SELECT ${extensionColumns} FROM extensions WHERE id IN (SELECT extension_id FROM opened)`,
    [hash, now],
    { name: 'open-provisioning-link' },
  );
  return extension;
}

export async function removeLink(tx: Transaction, extensionId: number): Promise<void> {
  await tx.query('DELETE FROM provisioning_links WHERE extension_id = $1', [extensionId], {
    name: 'remove-provisioning-link',
  });
}

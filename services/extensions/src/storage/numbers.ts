import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Database, Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { OwnedNumber } from '../domain/owned-number';

/** With how many extensions of the account show it. */
export interface ShownNumber extends OwnedNumber {
  extensions: number;
}

const columns = `number, account_id AS "accountId", title, note, operator_name AS "operatorName", since,
  (SELECT count(*) FROM extensions e WHERE e.bina = numbers.number AND e.account_id = numbers.account_id) AS extensions`;

const numberResource = defineResource({
  name: 'number',
  columns,
  from: 'numbers',
  tenant: null,
  key: 'number',
  fields: {
    number: { type: 'text', sql: 'number', read: (text) => text.replace(/\D/g, '') },
    accountId: { type: 'integer', sql: 'account_id' },
    title: { type: 'text', sql: 'title' },
    operatorName: { type: 'text', sql: 'operator_name' },
    since: { type: 'timestamp', sql: 'since' },
  },
  indexed: ['number', 'accountId'],
  defaultOrder: { field: 'number', descending: false },
  ...pageLimits,
});

export async function listNumbers(
  database: Database,
  { filter: text, page }: { filter: string | undefined; page: number },
): Promise<{ rows: ShownNumber[]; meta: PageMeta }> {
  const filter = readFilter(numberResource, text, 'UTC');
  return listPage<ShownNumber>(database, numberResource, { accountId: null, filter, page });
}

export interface NumberClaim {
  number: string;
  accountIds: number[];
  since: Date;
}

const claimResource = defineResource({
  name: 'claim',
  columns: 'number, "accountIds", since',
  from: `(
    SELECT bina AS number, array_agg(account_id ORDER BY since) AS "accountIds", min(since) AS since
    FROM (
      SELECT bina, account_id, min(coalesce(bina_since, created_at)) AS since FROM extensions e
      WHERE bina IS NOT NULL AND NOT EXISTS (SELECT FROM numbers n WHERE n.number = e.bina)
      GROUP BY bina, account_id
    ) AS shown
    GROUP BY bina
  ) AS claims`,
  tenant: null,
  key: 'number',
  fields: { number: { type: 'text', sql: 'number' } },
  indexed: [],
  defaultOrder: { field: 'number', descending: false },
  ...pageLimits,
});

export async function listClaims(database: Database, page: number): Promise<{ rows: NumberClaim[]; meta: PageMeta }> {
  const filter = readFilter(claimResource, undefined, 'UTC');
  return listPage<NumberClaim>(database, claimResource, { accountId: null, filter, page });
}

/** Undefined: it belongs to another account. */
export async function saveNumber(
  tx: Transaction,
  { number, accountId, title, note, operatorName, since }: OwnedNumber,
): Promise<ShownNumber | undefined> {
  const [saved] = await tx.query<ShownNumber>(
    `INSERT INTO numbers (number, account_id, title, note, operator_name, since) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (number) DO UPDATE
     SET title = excluded.title, note = excluded.note, operator_name = excluded.operator_name
     WHERE numbers.account_id = excluded.account_id
     RETURNING ${columns}`,
    [number, accountId, title, note, operatorName, since],
  );
  return saved;
}

export async function findNumber(
  db: Queryable,
  number: string,
): Promise<Pick<OwnedNumber, 'accountId' | 'title' | 'operatorName'> | undefined> {
  const [found] = await db.query<Pick<OwnedNumber, 'accountId' | 'title' | 'operatorName'>>(
    'SELECT account_id AS "accountId", title, operator_name AS "operatorName" FROM numbers WHERE number = $1',
    [number],
  );
  return found;
}

export async function listNumbersOf(db: Queryable, accountId: number): Promise<ShownNumber[]> {
  return db.query<ShownNumber>(`SELECT ${columns} FROM numbers WHERE account_id = $1 ORDER BY number LIMIT 1000`, [
    accountId,
  ]);
}

/** Takes it from an account that has proven or inherited it; false: an operator has given it to another account. */
export async function saveProvenNumber(
  tx: Transaction,
  { number, accountId, note, since }: Pick<OwnedNumber, 'number' | 'accountId' | 'note' | 'since'>,
): Promise<boolean> {
  const saved = await tx.query(
    `INSERT INTO numbers (number, account_id, title, note, operator_name, since) VALUES ($1, $2, 'PROVEN', $3, '', $4)
     ON CONFLICT (number) DO UPDATE
     SET account_id = excluded.account_id, title = excluded.title, note = excluded.note, since = excluded.since
     WHERE numbers.operator_name = ''
     RETURNING number`,
    [number, accountId, note, since],
  );
  return saved.length > 0;
}

/** The account that it belonged to; undefined: none. */
export async function deleteNumber(db: Queryable, number: string): Promise<number | undefined> {
  const [row] = await db.query<{ accountId: number }>(
    'DELETE FROM numbers WHERE number = $1 RETURNING account_id AS "accountId"',
    [number],
  );
  return row?.accountId;
}

export async function hasExtensions(db: Queryable, accountId: number): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT FROM extensions WHERE account_id = $1) AS found',
    [accountId],
  );
  return row!.found;
}

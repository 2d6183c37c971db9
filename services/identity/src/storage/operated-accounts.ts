import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { allOf } from '@sabia/service-kit/filter/checked-filter';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Database, Queryable, Transaction } from '@sabia/service-kit/postgres/database';
import type { AccountLimits } from '../domain/account-limits';

/** An account as the operator sees it. */
export interface OperatedAccount {
  id: number;
  uuid: string;
  domain: string;
  name: string;
  email: string;
  phone: string;
  createdAt: Date;
  activatedAt: Date | null;
  suspendedAt: Date | null;
  suspensionReason: string | null;
  users: number;
  limits: AccountLimits;
}

const columns = `id, uuid, domain, name, email, phone, created_at AS "createdAt", activated_at AS "activatedAt",
  suspended_at AS "suspendedAt", suspension_reason AS "suspensionReason",
  (SELECT count(*) FROM users u WHERE u.account_id = accounts.id) AS users,
  json_build_object('liveCalls', live_calls_limit, 'extensions', extensions_limit, 'users', users_limit,
    'recordingRetentionDays', recording_retention_days) AS limits`;

export const operatedAccountResource = defineResource({
  name: 'account',
  columns,
  from: 'accounts',
  tenant: null,
  key: 'id',
  fields: {
    id: { type: 'integer', sql: 'id' },
    uuid: { type: 'uuid', sql: 'uuid' },
    domain: { type: 'text', sql: 'domain' },
    name: { type: 'text', sql: 'name' },
    email: { type: 'text', sql: 'email' },
    phone: { type: 'text', sql: 'phone' },
    createdAt: { type: 'timestamp', sql: 'created_at' },
    activatedAt: { type: 'timestamp', sql: 'activated_at' },
    suspendedAt: { type: 'timestamp', sql: 'suspended_at' },
    suspensionReason: { type: 'text', sql: 'suspension_reason' },
  },
  indexed: ['id', 'uuid', 'domain'],
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
});

/** The filter that finds what somebody has typed. */
function searchFilter(text: string): string {
  const like = { ilike: `%${text.replace(/[\\%_]/g, '\\$&')}%` };
  const anywhere = ['name', 'domain', 'email', 'phone'].map((field) => ({ [field]: like }));
  const exactly = [
    ...(/^\d{1,15}$/.test(text) ? [{ id: Number(text) }] : []),
    ...(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? [{ uuid: text }] : []),
  ];
  return JSON.stringify({ where: { or: [...anywhere, ...exactly] } });
}

export async function listAccounts(
  database: Database,
  list: { filter: string | undefined; search: string; page: number; timeZone: string },
): Promise<{ rows: OperatedAccount[]; meta: PageMeta }> {
  const read = (text: string | undefined) => readFilter(operatedAccountResource, text, list.timeZone);
  const filter = read(list.filter);
  const search = list.search === '' ? undefined : read(searchFilter(list.search));
  const where = allOf([filter.where, search?.where].filter((condition) => condition !== undefined));
  return listPage<OperatedAccount>(database, operatedAccountResource, {
    accountId: null,
    filter: { ...filter, where },
    page: list.page,
  });
}

export async function findOperatedAccount(db: Queryable, id: number): Promise<OperatedAccount | undefined> {
  const [account] = await db.query<OperatedAccount>(`SELECT ${columns} FROM accounts WHERE id = $1`, [id]);
  return account;
}

/** Undefined: there is no such account, or it has this very suspension already. */
export async function suspendAccount(
  tx: Transaction,
  { id, reason, now }: { id: number; reason: string; now: Date },
): Promise<OperatedAccount | undefined> {
  const [account] = await tx.query<OperatedAccount>(
    `UPDATE accounts SET suspended_at = coalesce(suspended_at, $3), suspension_reason = $2
     WHERE id = $1 AND suspension_reason IS DISTINCT FROM $2
     RETURNING ${columns}`,
    [id, reason, now],
  );
  return account;
}

/** Undefined: there is no such account, or it is not suspended. */
export async function resumeAccount(tx: Transaction, id: number): Promise<OperatedAccount | undefined> {
  const [account] = await tx.query<OperatedAccount>(
    `UPDATE accounts SET suspended_at = NULL, suspension_reason = NULL
     WHERE id = $1 AND suspended_at IS NOT NULL
     RETURNING ${columns}`,
    [id],
  );
  return account;
}

/** Undefined: there is no such account, or it has these very limits already. */
export async function limitAccount(
  tx: Transaction,
  id: number,
  { liveCalls, extensions, users, recordingRetentionDays }: AccountLimits,
): Promise<OperatedAccount | undefined> {
  const [account] = await tx.query<OperatedAccount>(
    `UPDATE accounts SET live_calls_limit = $2, extensions_limit = $3, users_limit = $4, recording_retention_days = $5
     WHERE id = $1 AND (live_calls_limit, extensions_limit, users_limit, recording_retention_days)
       IS DISTINCT FROM ($2::integer, $3::integer, $4::integer, $5::integer)
     RETURNING ${columns}`,
    [id, liveCalls, extensions, users, recordingRetentionDays],
  );
  return account;
}

/** Ends the sessions of the console; the tokens of API clients are refused while the account is suspended. */
export async function deleteSessionsOfAccount(tx: Transaction, accountId: number): Promise<void> {
  await tx.query(
    `DELETE FROM access_tokens WHERE kind = 'session' AND user_id IN (SELECT id FROM users WHERE account_id = $1)`,
    [accountId],
  );
}

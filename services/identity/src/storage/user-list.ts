import { listRows } from '@sabia/service-kit/filter/list';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { arrayLimits, defineResource } from '@sabia/service-kit/filter/resource';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { User } from '../domain/user';
import { userColumns } from './users';

export const userResource = defineResource({
  name: 'user',
  columns: userColumns,
  from: 'users',
  tenant: 'account_id',
  key: 'id',
  fields: {
    id: { type: 'integer', sql: 'id' },
    uuid: { type: 'uuid', sql: 'uuid' },
    name: { type: 'text', sql: 'name' },
    email: { type: 'text', sql: 'email' },
    pendingEmail: { type: 'text', sql: 'pending_email' },
    phone: { type: 'text', sql: 'phone' },
    role: { type: 'text', sql: 'role' },
    emailVerified: { type: 'boolean', sql: 'email_verified' },
    createdAt: { type: 'timestamp', sql: 'created_at' },
    updatedAt: { type: 'timestamp', sql: 'updated_at' },
    lastLoginAt: { type: 'timestamp', sql: 'last_login_at' },
  },
  defaultOrder: { field: 'id', descending: false },
  ...arrayLimits,
});

export async function listUsers(
  database: Database,
  list: { accountId: number; timeZone: string; filter: string | undefined },
): Promise<User[]> {
  const filter = readFilter(userResource, list.filter, list.timeZone);
  return listRows<User>(database, userResource, { accountId: list.accountId, filter });
}

import { listRows } from '@sabia/service-kit/filter/list';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { arrayLimits, defineResource } from '@sabia/service-kit/filter/resource';
import type { Resource } from '@sabia/service-kit/filter/resource';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { CountryCode } from 'libphonenumber-js/max';
import { normalizePhone } from '../domain/bina';
import type { StoredExtension } from '../domain/extension';
import { extensionColumns } from './extensions';

/** The country of numbers without a country code. */
export const extensionsOf = (country: CountryCode): Resource =>
  defineResource({
    name: 'extension',
    columns: extensionColumns,
    from: 'extensions',
    tenant: 'account_id',
    key: 'id',
    fields: {
      id: { type: 'integer', sql: 'id' },
      domain: { type: 'text', sql: 'domain' },
      ramal: { type: 'text', sql: 'ramal', aliases: ['number', 'extension'] },
      // Can be selected but not searched, so that a senha cannot be found by trying.
      senha: { type: 'text', sql: 'NULL::text' },
      // Compared as a number in any notation.
      bina: { type: 'text', sql: 'bina', aliases: ['BINA'], read: (text) => normalizePhone(text, country) ?? text },
      first_name: { type: 'text', sql: 'first_name' },
      last_name: { type: 'text', sql: 'last_name' },
      email_address: { type: 'text', sql: 'email_address', aliases: ['email'] },
      gravar_audio: { type: 'boolean', sql: 'gravar_audio' },
      registered: { type: 'boolean', sql: 'registered' },
      registered_at: { type: 'timestamp', sql: 'registered_at' },
    },
    defaultOrder: { field: 'id', descending: false },
    ...arrayLimits,
  });

export async function listExtensions(
  database: Database,
  resource: Resource,
  list: { accountId: number; timeZone: string; filter: string | undefined },
): Promise<StoredExtension[]> {
  const filter = readFilter(resource, list.filter, list.timeZone);
  return listRows<StoredExtension>(database, resource, { accountId: list.accountId, filter });
}

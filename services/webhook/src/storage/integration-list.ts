import { listRows } from '@sabia/service-kit/filter/list';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { arrayLimits, defineResource } from '@sabia/service-kit/filter/resource';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Integration } from '../domain/integration';
import { integrationColumns, toIntegration } from './integrations';
import type { IntegrationRow } from './integrations';

export const integrationResource = defineResource({
  name: 'integration',
  columns: integrationColumns,
  from: 'integrations',
  tenant: 'account_id',
  key: 'id',
  fields: {
    id: { type: 'integer', sql: 'id' },
    gateway: { type: 'text', sql: 'gateway' },
    webhook: { type: 'boolean', sql: 'webhook' },
    webhookConstraint: { type: 'json', sql: 'webhook_constraint::jsonb' },
    metadata: { type: 'json', sql: 'metadata::jsonb' },
    // Can be selected, but not searched for, so that a secret cannot be guessed letter by letter.
    webhookSecret: { type: 'text', sql: 'NULL::text' },
    disabledReason: { type: 'text', sql: 'disabled_reason' },
    createdAt: { type: 'timestamp', sql: 'created_at' },
    updatedAt: { type: 'timestamp', sql: 'updated_at' },
  },
  defaultOrder: { field: 'id', descending: false },
  ...arrayLimits,
});

export async function listIntegrations(
  database: Database,
  list: { accountId: number; timeZone: string; filter: string | undefined },
): Promise<Integration[]> {
  const filter = readFilter(integrationResource, list.filter, list.timeZone);
  const rows = await listRows<IntegrationRow>(database, integrationResource, { accountId: list.accountId, filter });
  return rows.map(toIntegration);
}

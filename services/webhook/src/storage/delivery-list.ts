import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import type { Headers } from '../domain/sent-headers';

export interface ListedAttempt {
  at: Date;
  status: number | null;
  latencyMs: number;
  answer: string | null;
  error: string | null;
  /** As headersToKeep stored them; null for an attempt of an earlier release. */
  headers: Headers | null;
}

/** Unknown values are left out. */
type WrittenAttempt = { at: string; latencyMs: number } & Partial<
  Pick<ListedAttempt, 'status' | 'answer' | 'error' | 'headers'>
>;

export interface DeliveryRow {
  id: string;
  eventId: string;
  eventType: string;
  callId: string | null;
  status: string;
  reason: string | null;
  payload: string | null;
  test: boolean;
  createdAt: Date;
  nextAttemptAt: Date | null;
  attempts: WrittenAttempt[];
}

export type ListedDelivery = Omit<DeliveryRow, 'attempts'> & { attempts: ListedAttempt[] };

export const deliveryColumns = `id, event_id AS "eventId", event_type AS "eventType", call_id AS "callId", status, reason, payload, test,
  created_at AS "createdAt", next_attempt_at AS "nextAttemptAt", array_to_json(attempts) AS attempts`;

export const deliveryResource = defineResource({
  name: 'delivery',
  columns: deliveryColumns,
  from: 'delivery_list',
  // The list is that of one integration, whose account has been checked before.
  tenant: 'integration_id',
  key: 'id',
  fields: {
    id: { type: 'uuid', sql: 'id' },
    eventId: { type: 'uuid', sql: 'event_id', aliases: ['event_id'] },
    eventType: { type: 'text', sql: 'event_type', aliases: ['event_type', 'type'] },
    callId: { type: 'text', sql: 'call_id', aliases: ['call_id', 'call'] },
    status: { type: 'text', sql: 'status' },
    reason: { type: 'text', sql: 'reason' },
    test: { type: 'boolean', sql: 'test' },
    createdAt: { type: 'timestamp', sql: 'created_at', aliases: ['created_at', 'date'] },
    nextAttemptAt: { type: 'timestamp', sql: 'next_attempt_at', aliases: ['next_attempt_at'] },
  },
  indexed: ['id', 'callId', 'createdAt'],
  defaultOrder: { field: 'createdAt', descending: true },
  ...pageLimits,
});

export async function listDeliveries(
  database: Database,
  list: { integrationId: number; timeZone: string; filter: string | undefined; page: number },
): Promise<{ deliveries: ListedDelivery[]; meta: PageMeta }> {
  const filter = readFilter(deliveryResource, list.filter, list.timeZone);
  const { rows, meta } = await listPage<DeliveryRow>(database, deliveryResource, {
    accountId: list.integrationId,
    filter,
    page: list.page,
  });
  return { deliveries: rows.map(toListed), meta };
}

/** In the order of the ids; missing deliveries are left out. */
export async function findDeliveries(db: Queryable, integrationId: number, ids: string[]): Promise<ListedDelivery[]> {
  const rows = await db.query<DeliveryRow>(
    `SELECT ${deliveryColumns} FROM delivery_list WHERE integration_id = $1 AND id = ANY ($2::uuid[])`,
    [integrationId, ids],
  );
  const deliveries = rows.map(toListed);
  return ids.flatMap((id) => deliveries.filter((delivery) => delivery.id === id));
}

export const toListed = (row: DeliveryRow): ListedDelivery => ({
  ...row,
  attempts: row.attempts.map(({ at, status = null, latencyMs, answer = null, error = null, headers = null }) => ({
    at: new Date(at),
    status,
    latencyMs,
    answer,
    error,
    headers,
  })),
});

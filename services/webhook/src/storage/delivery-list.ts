import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import type { CheckedFilter } from '@sabia/service-kit/filter/checked-filter';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Resource } from '@sabia/service-kit/filter/resource';
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

/** Columns of the log that the tables of open and of dead deliveries do not have. */
const furtherColumns = `d.event_id, d.event_type, d.reason, d.payload, coalesce(d.attempts, '{}') AS attempts`;

/** Those to be sent, whose table has their status. An outer join: what is only counted is not looked up in the log. */
const openDeliveries = `(
  SELECT q.delivery_id AS id, q.integration_id, q.created_at, q.status, q.call_id, q.test, q.due_at AS next_attempt_at, ${furtherColumns}
  FROM delivery_queue q LEFT JOIN delivery_log d ON d.id = q.delivery_id
) AS open_deliveries`;

const deadDeliveries = `(
  SELECT n.delivery_id AS id, n.integration_id, n.created_at, 'dead'::text AS status, d.call_id, d.test,
    NULL::timestamptz AS next_attempt_at, ${furtherColumns}
  FROM dead_deliveries n LEFT JOIN delivery_log d ON d.id = n.delivery_id
) AS dead_deliveries`;

const sources = new Map([
  ['pending', openDeliveries],
  ['retrying', openDeliveries],
  ['dead', deadDeliveries],
]);

/** A filter by a status that few deliveries have reads the table of those few, the others the whole log. */
function resourceFor({ where }: CheckedFilter): Resource {
  const conditions = where?.kind === 'and' ? where.conditions : [where];
  const wanted = conditions.flatMap((condition) => {
    const isStatus =
      condition?.kind === 'compare' && condition.operator === '=' && condition.target.field.name === 'status';
    return isStatus && condition.operand.type === 'text' ? [condition.operand.value] : [];
  });
  const from = wanted.flatMap((status) => sources.get(status) ?? [])[0];
  const { indexed = [] } = deliveryResource;
  return from === undefined ? deliveryResource : { ...deliveryResource, from, indexed: [...indexed, 'status'] };
}

export async function listDeliveries(
  database: Database,
  list: { integrationId: number; timeZone: string; filter: string | undefined; page: number },
): Promise<{ deliveries: ListedDelivery[]; meta: PageMeta }> {
  const filter = readFilter(deliveryResource, list.filter, list.timeZone);
  const { rows, meta } = await listPage<DeliveryRow>(database, resourceFor(filter), {
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

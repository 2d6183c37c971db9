import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';

export interface NewOperatorAct {
  at: Date;
  operatorUuid: string;
  operatorName: string;
  act: string;
  method: string;
  path: string;
  accountId: number | null;
  /** The text of a JSON object. */
  request: string;
  clientIp: string;
  requestId: string;
}

export interface OperatorAct extends NewOperatorAct {
  id: number;
  status: number | null;
  errorCode: string | null;
  endedAt: Date | null;
}

export async function insertAct(db: Queryable, act: NewOperatorAct): Promise<number> {
  const [row] = await db.query<{ id: number }>(
    `INSERT INTO operator_acts (at, operator_uuid, operator_name, act, method, path, account_id, request, client_ip, request_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`,
    [
      act.at,
      act.operatorUuid,
      act.operatorName,
      act.act,
      act.method,
      act.path,
      act.accountId,
      act.request,
      act.clientIp,
      act.requestId,
    ],
    { name: 'insert-operator-act' },
  );
  return row!.id;
}

/** The first outcome of an act stays. An act of another operator is not touched. */
export async function insertOutcome(
  db: Queryable,
  outcome: { actId: number; operatorUuid: string; status: number; errorCode: string | null; endedAt: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO operator_act_outcomes (act_id, status, error_code, ended_at)
     SELECT id, $3, $4, $5 FROM operator_acts WHERE id = $1 AND operator_uuid = $2
     ON CONFLICT (act_id) DO NOTHING`,
    [outcome.actId, outcome.operatorUuid, outcome.status, outcome.errorCode, outcome.endedAt],
    { name: 'insert-operator-outcome' },
  );
}

export const actResource = defineResource({
  name: 'act',
  columns: `a.id, a.at, a.operator_uuid AS "operatorUuid", a.operator_name AS "operatorName", a.act, a.method, a.path,
    a.account_id AS "accountId", a.request::text AS request, a.client_ip AS "clientIp", a.request_id AS "requestId",
    o.status, o.error_code AS "errorCode", o.ended_at AS "endedAt"`,
  from: 'operator_acts a LEFT JOIN operator_act_outcomes o ON o.act_id = a.id',
  tenant: null,
  key: 'a.id',
  fields: {
    id: { type: 'integer', sql: 'a.id' },
    at: { type: 'timestamp', sql: 'a.at' },
    operatorUuid: { type: 'uuid', sql: 'a.operator_uuid' },
    operatorName: { type: 'text', sql: 'a.operator_name' },
    act: { type: 'text', sql: 'a.act' },
    method: { type: 'text', sql: 'a.method' },
    path: { type: 'text', sql: 'a.path' },
    accountId: { type: 'integer', sql: 'a.account_id' },
    request: { type: 'json', sql: 'a.request::jsonb' },
    clientIp: { type: 'text', sql: 'a.client_ip' },
    requestId: { type: 'text', sql: 'a.request_id' },
    status: { type: 'integer', sql: 'o.status' },
    errorCode: { type: 'text', sql: 'o.error_code' },
    endedAt: { type: 'timestamp', sql: 'o.ended_at' },
  },
  indexed: ['id', 'accountId', 'operatorUuid'],
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
});

export async function listActs(
  database: Database,
  list: { filter: string | undefined; page: number; timeZone: string },
): Promise<{ rows: OperatorAct[]; meta: PageMeta }> {
  const filter = readFilter(actResource, list.filter, list.timeZone);
  return listPage<OperatorAct>(database, actResource, { accountId: null, filter, page: list.page });
}

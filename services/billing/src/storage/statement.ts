import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { allOf } from '@sabia/service-kit/filter/checked-filter';
import type { CheckedFilter, Condition } from '@sabia/service-kit/filter/checked-filter';
import { dateBounds } from '@sabia/service-kit/filter/date-bounds';
import type { DateBounds } from '@sabia/service-kit/filter/date-bounds';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Comparison } from '@sabia/service-kit/filter/resource';
import type { Database, Queryable } from '@sabia/service-kit/postgres/database';
import { fromDecimal } from '../domain/money';
import type { Money } from '../domain/money';
import { readBalance } from './balances';

export interface StatementEntry {
  id: number;
  at: Date;
  kind: string;
  description: string;
  /** The change of the credit. */
  amount: Money;
  /** The credit after it. */
  balance: Money;
  callId?: string;
  chargeId?: number;
  /** The number that a call was to. */
  destination?: string;
}

interface StatementRow extends Omit<StatementEntry, 'amount' | 'balance' | 'callId' | 'chargeId' | 'destination'> {
  amount: string;
  balance: string;
  callId: string | null;
  chargeId: number | null;
}

export const statementResource = defineResource({
  name: 'statement entry',
  columns: 'id, at, kind, description, amount, balance, call_id AS "callId", charge_id AS "chargeId"',
  from: 'statement',
  tenant: 'account_id',
  key: 'id',
  fields: {
    id: { type: 'integer', sql: 'id' },
    at: { type: 'timestamp', sql: 'at', aliases: ['date', 'createdAt'] },
    kind: { type: 'text', sql: 'kind' },
    description: { type: 'text', sql: 'description' },
    amount: { type: 'decimal', sql: 'amount' },
    balance: { type: 'decimal', sql: 'balance' },
    callId: { type: 'uuid', sql: 'call_id', compare: byReference },
    chargeId: { type: 'integer', sql: 'charge_id' },
  },
  indexed: ['id', 'at', 'kind', 'callId'],
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
});

/** The whole list by id, through the index of the entries: the newest ones of the account are read and nothing else. */
const wholeStatement = { ...statementResource, from: 'whole_statement' };
const isWholeById = ({ where, order = [] }: CheckedFilter): boolean =>
  where === undefined && order.every(({ target }) => target.field.name === 'id');

/** The movement of a call has its id for a reference, which has an index. */
function byReference(operator: Comparison, operand: string): string {
  return operator === '=' ? `(kind = 'call' AND reference = (${operand})::text)` : `call_id ${operator} ${operand}`;
}

export interface StatementList extends DateBounds {
  accountId: number;
  timeZone: string;
  filter: string | undefined;
  page: number;
}

export async function readStatement(
  database: Database,
  list: StatementList,
): Promise<{ entries: StatementEntry[]; meta: PageMeta }> {
  const filter = readRequest(list);
  const resource = isWholeById(filter) ? wholeStatement : statementResource;
  const { rows, meta } = await listPage<StatementRow>(database, resource, {
    ...list,
    filter,
    countAll: async () => (await readBalance(database, list.accountId)).movements,
  });
  return { entries: rows.map(toEntry), meta };
}

function readRequest({ filter: text, timeZone, ...bounds }: StatementList): CheckedFilter {
  const filter = readFilter(statementResource, text, timeZone);
  const conditions = filter.where === undefined ? [] : [filter.where];
  const where = allOf([...conditions, ...dateBounds(statementResource, 'at', bounds, timeZone)]);
  return {
    ...filter,
    where,
    order: filter.order ?? (where && namesOneOf(where, ['at', 'kind']) ? latestFirst : undefined),
  };
}

/** The order of the indexes by time and kind: in that of the ids the matches would be looked for among all that came after them. */
const latestFirst = [{ target: { field: statementResource.lookup('at')!, path: [] }, descending: true }];

function namesOneOf(condition: Condition, fields: readonly string[]): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some((part) => namesOneOf(part, fields));
    case 'not':
      return namesOneOf(condition.condition, fields);
    default:
      return 'target' in condition && fields.includes(condition.target.field.name);
  }
}

/** The movements of one call, the oldest first. */
export async function movementsOfCall(db: Queryable, accountId: number, callId: string): Promise<StatementEntry[]> {
  const rows = await db.query<StatementRow>(
    `SELECT ${statementResource.columns} FROM statement
     WHERE account_id = $1::bigint AND ${byReference('=', '$2::uuid')} ORDER BY id`,
    [accountId, callId],
    { name: 'movements-of-call' },
  );
  return rows.map(toEntry);
}

/** The description of a call's movement ends with the number. */
export const callDescription = 'Call to ';

function toEntry(row: StatementRow): StatementEntry {
  const { kind, description } = row;
  const isCall = kind === 'call' && description.startsWith(callDescription);
  return {
    ...row,
    amount: fromDecimal(row.amount),
    balance: fromDecimal(row.balance),
    callId: row.callId ?? undefined,
    chargeId: row.chargeId ?? undefined,
    destination: isCall ? description.slice(callDescription.length) : undefined,
  };
}

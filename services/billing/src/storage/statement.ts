import type { PageMeta } from '@sabia/protos/sabia/api/v1/page';
import { listPage } from '@sabia/service-kit/filter/page';
import { readFilter } from '@sabia/service-kit/filter/read-filter';
import { defineResource, pageLimits } from '@sabia/service-kit/filter/resource';
import type { Database } from '@sabia/service-kit/postgres/database';
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
}

interface StatementRow extends Omit<StatementEntry, 'amount' | 'balance' | 'callId' | 'chargeId'> {
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
    callId: { type: 'uuid', sql: 'call_id' },
    chargeId: { type: 'integer', sql: 'charge_id' },
  },
  indexed: ['id'],
  defaultOrder: { field: 'id', descending: true },
  ...pageLimits,
});

export async function readStatement(
  database: Database,
  list: { accountId: number; timeZone: string; filter: string | undefined; page: number },
): Promise<{ entries: StatementEntry[]; meta: PageMeta }> {
  const filter = readFilter(statementResource, list.filter, list.timeZone);
  const { rows, meta } = await listPage<StatementRow>(database, statementResource, {
    ...list,
    filter,
    countAll: async () => (await readBalance(database, list.accountId)).movements,
  });
  return { entries: rows.map(toEntry), meta };
}

function toEntry(row: StatementRow): StatementEntry {
  return {
    ...row,
    amount: fromDecimal(row.amount),
    balance: fromDecimal(row.balance),
    callId: row.callId ?? undefined,
    chargeId: row.chargeId ?? undefined,
  };
}

import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { Statement } from '@sabia/service-kit/postgres/statement';
import type { ListedCall } from '../domain/call';
import { state } from './call-state';

/** How the rows of a page are read: as calls, or in binary form on their way to the response (rpc/binary-list). */
export interface CallRows {
  columns: string;
  /** Reads the rows of a statement that selects the columns and, if it says so, the total after them. */
  read(reader: Queryable, statement: Statement & { withTotal?: boolean }): Promise<{ count: number; total?: number }>;
}

/** Prices leave as whole numbers of 1/10000 real, metadata as the text that was sent. */
export const listedCallColumns = `id, domain, call_type AS type, started_at AS "startedAt", ended_at AS "endedAt",
  from_number AS "from", to_number AS "to", duration, hangup_cause AS "hangupCause", record_url AS "recordUrl", email,
  first_name AS "firstName", last_name AS "lastName", bina, (minute_price * 10000)::bigint AS "minutePrice",
  (call_price * 10000)::bigint AS "callPrice", metadata::text AS metadata, ${state.answeredAt} AS "answeredAt",
  billed_seconds AS "billedSeconds", ${state.status} AS status, called`;

export function collectCalls(): CallRows & { calls: ListedCall[] } {
  const calls: ListedCall[] = [];
  return {
    columns: listedCallColumns,
    calls,
    async read(reader, { text, values, name }) {
      const rows = await reader.query<ListedCall & { total?: number }>(text, values, { name });
      calls.push(...rows);
      return { count: rows.length, total: rows[0]?.total };
    },
  };
}

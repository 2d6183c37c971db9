import { anyValue, hasAlso, isAmong } from '@sabia/service-kit/postgres/any-value';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { monthsOf } from '@sabia/service-kit/postgres/partitions/months';

export interface RatedCall {
  callId: string;
  accountId: number;
  /** 1/10000 real. */
  minutePrice: number;
  callPrice: number;
  billedSeconds: number;
}

/** With its price a call is final: it leaves calls_current for its month. Returns the ids of those that had no price before. */
export async function setPrices(queryable: Queryable, calls: RatedCall[]): Promise<Set<string>> {
  const months = monthsOf(calls.map(({ callId }) => callId));
  const priced = await queryable.query<{ id: string }>(
    `UPDATE calls SET minute_price = rated.minute_price / 10000.0, call_price = rated.call_price / 10000.0,
       billed_seconds = rated.billed_seconds, is_final = true
     FROM unnest(${anyValue('$1', 'uuid[]')}, $2::bigint[], $3::numeric[], $4::numeric[], $5::integer[])
       AS rated (id, account_id, minute_price, call_price, billed_seconds)
     WHERE calls.id = rated.id AND ${isAmong('calls.id', '$1')} AND ${months.hold('calls.id')}
       AND ${hasAlso('calls.account_id', 'rated.account_id')} AND calls.call_price IS NULL
     RETURNING calls.id`,
    [
      calls.map(({ callId }) => callId),
      calls.map(({ accountId }) => accountId),
      calls.map(({ minutePrice }) => minutePrice),
      calls.map(({ callPrice }) => callPrice),
      calls.map(({ billedSeconds }) => billedSeconds),
    ],
    { name: months.nameOf('set-prices') },
  );
  return new Set(priced.map(({ id }) => id));
}

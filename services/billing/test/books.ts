import type { Database } from '@sabia/service-kit/postgres/database';

/** Everything that one round of the game is played with. */
export interface World {
  accounts: number[];
  /** Of each account. */
  calls: string[][];
  /** The last event that told of a call's end. */
  eventIds: Map<string, string>;
  charges: Set<number>;
  granted: number;
}

/** The invariants that hold while no request is under way. */
export async function checkBooks(database: Database, accounts: number[]): Promise<void> {
  const rows = await database.query(
    `SELECT b.account_id, b.balance, b.reserved,
            (SELECT coalesce(sum(amount), 0)::numeric(18,4) FROM ledger_entries e WHERE e.account_id = b.account_id AND book = 'credit') AS ledger,
            (SELECT coalesce(sum(amount), 0)::numeric(18,4) FROM reservations r WHERE r.account_id = b.account_id AND state = 'open') AS held,
            (SELECT coalesce(sum(amount), 0)::numeric(18,4) FROM ledger_entries e WHERE e.account_id = b.account_id) AS total,
            (SELECT count(*) FROM ledger_entries e WHERE e.account_id = b.account_id AND book = 'credit') - b.movements AS uncounted
     FROM balances b WHERE account_id = ANY ($1)`,
    [accounts],
  );
  for (const row of rows as {
    balance: string;
    reserved: string;
    ledger: string;
    held: string;
    total: string;
    uncounted: number;
  }[]) {
    expect(row.ledger).toBe(row.balance);
    expect(row.held).toBe(row.reserved);
    expect(row.total).toBe('0.0000');
    expect(row.uncounted).toBe(0);
  }
}

/** What holds once every call has ended. */
export async function checkEnd(database: Database, { accounts, calls, granted }: World): Promise<void> {
  const callIds = calls.flat();
  const settled = await database.query<{ call_id: string; price: string; charged: string; times: number }>(
    `SELECT r.call_id, r.price, coalesce(-sum(e.amount), 0)::numeric(18,4) AS charged, count(e.transaction_id) AS times
     FROM reservations r
     LEFT JOIN ledger_transactions t ON t.call_id = r.call_id
     LEFT JOIN ledger_entries e ON e.transaction_id = t.id AND e.book = 'credit'
     WHERE r.call_id = ANY ($1::uuid[]) AND r.state = 'settled' GROUP BY r.call_id, r.price`,
    [callIds],
  );
  expect(settled).toHaveLength(callIds.length);
  for (const { price, charged, times } of settled) {
    expect(charged).toBe(price);
    expect(times).toBe(price === '0.0000' ? 0 : 1);
  }
  const charges = await database.query<{ id: number; left: string; booked: string }>(
    `SELECT c.id,
            CASE WHEN c.status IN ('CONFIRMED', 'RECEIVED') THEN c.paid_amount - c.refunded_amount ELSE 0 END::numeric(18,4) AS left,
            (SELECT coalesce(sum(e.amount), 0) FROM ledger_transactions t JOIN ledger_entries e ON e.transaction_id = t.id
             WHERE t.charge_id = c.id AND e.book = 'credit')::numeric(18,4) AS booked
     FROM charges c WHERE c.account_id = ANY ($1)`,
    [accounts],
  );
  for (const { left, booked } of charges) {
    expect(booked).toBe(left);
  }
  const overdrawn = await database.query(
    `SELECT FROM statement s JOIN reservations r ON r.call_id = s.call_id
     WHERE s.account_id = ANY ($1) AND s.kind = 'call' AND s.balance < 0 AND -s.amount > round(r.minute_price * r.seconds / 60, 4)`,
    [accounts],
  );
  expect(overdrawn).toEqual([]);
  const [sums] = await database.query<Record<string, string>>(
    `SELECT coalesce(sum(amount) FILTER (WHERE book = 'grants'), 0)::numeric(18,4) AS grants,
            coalesce(sum(amount), 0)::numeric(18,4) AS total FROM ledger_entries WHERE account_id = ANY ($1)`,
    [accounts],
  );
  expect(Number(sums!.grants) * 10_000).toBeCloseTo(-granted);
  expect(sums!.total).toBe('0.0000');
  const [reserved] = await database.query<{ sum: string }>(
    'SELECT coalesce(sum(reserved), 0)::numeric(18,4) AS sum FROM balances WHERE account_id = ANY ($1)',
    [accounts],
  );
  expect(reserved!.sum).toBe('0.0000');
}

/** What the next event of an account is expected to cost, in rows: what decides how many events share a transaction. */
export interface ExpectedRows {
  of(accountId: number): number;
  /** What an event of the account has become, and how many webhooks it was compared with; returns what it cost. */
  learn(accountId: number, became: { rows: number; compared: number }): number;
}

/** To compare an event with so many webhooks costs as much as a row. */
const COMPARED_PER_ROW = 20;

/** Rises at once and falls slowly: a transaction that becomes too large is made again, in parts. */
export function createExpectedRows(): ExpectedRows {
  /** Accounts with few webhooks, which are nearly all, are left out. */
  const expected = new Map<number, number>();
  const of = (accountId: number): number => expected.get(accountId) ?? 1;
  return {
    of,
    learn(accountId, { rows, compared }) {
      const cost = rows + compared / COMPARED_PER_ROW;
      const next = Math.max(cost, of(accountId) / 2);
      if (next > 2) expected.set(accountId, next);
      else expected.delete(accountId);
      return cost;
    },
  };
}

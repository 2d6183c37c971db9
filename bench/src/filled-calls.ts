import { openFilledAccount } from './filled-account';
import type { BenchStack } from './stack';
import { writeCalls } from './write-calls';
import type { History } from './write-calls';

/** Calls of the last days, the newest first, six seconds apart: what people look at. */
const recent = { since: new Date(Date.now() - 60_000), stepMs: -6_000 };

const day = (daysAgo: number): string =>
  new Date(recent.since.getTime() - daysAgo * 86_400_000).toISOString().slice(0, 10);

export interface CallsAccount {
  accountId: number;
  token: string;
  rows: number;
}

/** What a filter may name, with a question that a person would ask: some find many calls, some a single one. */
export const filters: Record<string, object> = {
  id: { id: idOf(77) },
  started_at: { started_at: { between: [day(21), day(20)] } },
  ended_at: { ended_at: { gte: day(21), lt: day(20) } },
  from: { from: '1001' },
  to: { to: '5511900000007' },
  first_name: { first_name: 'Nome 7' },
  last_name: { last_name: 'Sobrenome 77' },
  email: { email: 'u7@example.com' },
  BINA: { BINA: '551140000007' },
  call_type: { call_type: 'internal', started_at: { gte: day(50), lt: day(20) } },
  hangup_cause: { hangup_cause: 'USER_BUSY' },
  duration: { duration: 599 },
  minute_price: { minute_price: 0.6, duration: 599 },
  call_price: { call_price: 12.99 },
  metadata: { 'metadata.leadId': 77_777 },
};

/** How many extensions each of the accounts has, from 1000 on. */
export const agentsOfAccount = 250;

/** Accounts that have made so many calls. */
export async function openCallsAccounts(
  stack: BenchStack,
  sizes: number[],
  say: (line: string) => void,
  span: Pick<History, 'since' | 'stepMs'> = recent,
): Promise<CallsAccount[]> {
  const accounts: { token: string; domain: string; rows: number }[] = [];
  for (const rows of sizes) accounts.push({ ...(await openFilledAccount(stack, agentsOfAccount)), rows });
  const histories = accounts.map(({ domain, rows }, nth) => ({ domain, rows, nth, first: 1, ...span }));
  const ids = await writeCalls(stack, histories, say);
  return accounts.map(({ token, rows }, nth) => ({ accountId: ids[nth]!, token, rows }));
}

function idOf(n: number): string {
  const time = (recent.since.getTime() + n * recent.stepMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8${n.toString(16).padStart(15, '0').slice(0, 3)}-${n.toString(16).padStart(12, '0')}`;
}

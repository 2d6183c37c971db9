import type { Client } from 'pg';

/** The table of the calls that are in months; of releases before 0047 it has all of them. */
export async function callsInMonths(client: Pick<Client, 'query'>): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT CASE WHEN to_regclass('telephony.calls_final') IS NULL THEN 'calls' ELSE 'calls_final' END AS name`,
  );
  return rows[0]!.name;
}

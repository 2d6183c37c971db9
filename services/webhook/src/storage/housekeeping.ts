import type { Logger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import type { SecretVault } from '../domain/secret-vault';
import type { ToldDelivery } from '../domain/told-delivery';
import { removeAllLeftovers } from './deleted-integrations';
import { giveUpForDisabled } from './give-up';
import { resealSecrets } from './reseal';

const day = 24 * 60 * 60 * 1000;
const keepUnmatchedMs = day;
const keepFinishedMs = 30 * day;
/** The price of a call comes within seconds; this outlasts any outage of the services that make it. */
const keepCallsMs = 7 * day;
/** The progress of a replay is of interest until its last retry, about three days. */
const keepReplaysMs = 7 * day;
const chunk = 5_000;

export interface HousekeepingOptions {
  database: Database;
  vault: SecretVault;
  log: Logger;
  now: () => Date;
  /** Tells accounts of deliveries that were given up. */
  tellDead: (tx: Transaction, dead: ToldDelivery[]) => Promise<void>;
}

/** Answers one round of housekeeping, for periodic work: ends and deletes what no longer has an effect. Several replicas may do it at once. */
export function createHousekeeping({ database, vault, log, now, tellDead }: HousekeepingOptions) {
  /** In chunks, each a short transaction of its own. */
  async function remove(table: string, column: string, ageMs: number, signal: AbortSignal): Promise<void> {
    const before = new Date(now().getTime() - ageMs);
    let removed = chunk;
    while (removed === chunk && !signal.aborted) {
      const rows = await database.query<{ count: number }>(
        `WITH gone AS (
           DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE ${column} < $1 LIMIT ${chunk}) RETURNING 1
         ) SELECT count(*) AS count FROM gone`,
        [before],
      );
      removed = rows[0]?.count ?? 0;
    }
  }

  return async (signal: AbortSignal): Promise<void> => {
    await resealSecrets(database, vault, { log, now: now() });
    await giveUpForDisabled(database, now(), signal, tellDead);
    await removeAllLeftovers(database, signal);
    await remove('unmatched_events', 'created_at', keepUnmatchedMs, signal);
    await remove('deliveries', 'finished_at', keepFinishedMs, signal);
    await remove('calls', 'updated_at', keepCallsMs, signal);
    await remove('replayed_deliveries', 'created_at', keepReplaysMs, signal);
    await remove('replays', 'created_at', keepReplaysMs, signal);
  };
}

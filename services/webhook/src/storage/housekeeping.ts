import type { Logger } from '@sabia/service-kit/logging';
import type { Database, Transaction } from '@sabia/service-kit/postgres/database';
import { removeOlder } from '@sabia/service-kit/postgres/remove-older';
import type { AgingTable } from '@sabia/service-kit/postgres/remove-older';
import type { SecretVault } from '../domain/secret-vault';
import type { ToldDelivery } from '../domain/told-delivery';
import { removeAllLeftovers } from './deleted-integrations';
import { giveUpForDisabled } from './give-up';
import { resealSecrets } from './reseal';
import { removeUnsentCounts } from './unsent-counts';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const keepUnmatchedMs = day;
/** The price of a call comes within seconds; this outlasts any outage of the services that make it. */
const keepCallsMs = 7 * day;
/** The progress of a replay is of interest until its last retry, about three days. */
const keepReplaysMs = 7 * day;

const unmatchedEvents: AgingTable = { name: 'unmatched_events', key: 'id', since: 'created_at' };
const calls: AgingTable = { name: 'calls', key: 'call_id', since: 'updated_at' };
const replayedDeliveries: AgingTable = { name: 'replayed_deliveries', key: 'replay_id', since: 'created_at' };
const replays: AgingTable = { name: 'replays', key: 'id', since: 'created_at' };

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
  const remove = (table: AgingTable, ageMs: number, signal: AbortSignal): Promise<number> =>
    removeOlder(database, table, new Date(now().getTime() - ageMs), signal);

  return async (signal: AbortSignal): Promise<void> => {
    await resealSecrets(database, vault, { log, now: now() });
    await giveUpForDisabled(database, now(), signal, tellDead);
    await removeAllLeftovers(database, signal);
    await remove(unmatchedEvents, keepUnmatchedMs, signal);
    await removeUnsentCounts(database, Math.floor((now().getTime() - day) / hour));
    await remove(calls, keepCallsMs, signal);
    await remove(replayedDeliveries, keepReplaysMs, signal);
    await remove(replays, keepReplaysMs, signal);
  };
}

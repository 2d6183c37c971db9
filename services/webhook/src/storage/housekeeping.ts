import type { Logger } from '@sabia/service-kit/logging';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import type { SecretVault } from '../domain/secret-vault';
import { removeAllLeftovers } from './deleted-integrations';
import { giveUpForDisabled } from './give-up';
import { resealSecrets } from './reseal';

const everyMs = 10 * 60 * 1000;
const day = 24 * 60 * 60 * 1000;
const keepUnmatchedMs = day;
const keepFinishedMs = 30 * day;
/** The price of a call comes within seconds; this outlasts any outage of those who make it. */
const keepCallsMs = 7 * day;
const chunk = 5_000;

export interface Housekeeping {
  start(): void;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/** Ends and removes what no longer matters to anybody. Several replicas may sweep at once. */
export function createHousekeeping({
  database,
  vault,
  log,
  now,
}: {
  database: Queryable;
  vault: SecretVault;
  log: Logger;
  now: () => Date;
}): Housekeeping {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let stopping = false;

  /** In chunks, each a short transaction of its own. */
  async function remove(table: string, column: string, ageMs: number): Promise<void> {
    const before = new Date(now().getTime() - ageMs);
    let removed = chunk;
    while (removed === chunk && !stopping) {
      const rows = await database.query<{ count: number }>(
        `WITH gone AS (
           DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE ${column} < $1 LIMIT ${chunk}) RETURNING 1
         ) SELECT count(*) AS count FROM gone`,
        [before],
      );
      removed = rows[0]?.count ?? 0;
    }
  }

  async function sweep(): Promise<void> {
    await resealSecrets(database, vault, { log, now: now() });
    await giveUpForDisabled(database, now(), () => stopping);
    await removeAllLeftovers(database, () => stopping);
    await remove('unmatched_events', 'created_at', keepUnmatchedMs);
    await remove('deliveries', 'finished_at', keepFinishedMs);
    await remove('calls', 'updated_at', keepCallsMs);
  }

  return {
    sweep,
    start() {
      const run = (): void => {
        sweeping = sweep().catch((error: unknown) =>
          log.warn({ err: error }, 'housekeeping failed, trying again in ten minutes'),
        );
      };
      run();
      timer = setInterval(run, everyMs);
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}

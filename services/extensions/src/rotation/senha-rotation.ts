import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable } from '@sabia/service-kit/postgres/errors';
import { retry } from '@sabia/service-kit/work/retry';
import type { SenhaVault } from '../domain/senha-vault';
import { resealSome, sampleEachKey } from '../storage/sealed-senhas';

export interface SenhaRotation {
  /**
   * Rejects with a SenhaKeyError when a key in use is missing or wrong. Re-encrypts senhas of older keys with the current one in the
   * background, so that older keys can be removed later.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const batchSize = 200;

export function createSenhaRotation({
  database,
  vault,
  log,
  retryMs = 2_000,
}: {
  database: Database;
  vault: SenhaVault;
  log: Logger;
  /** The pause between tries while the database is away. */
  retryMs?: number;
}): SenhaRotation {
  const stopping = new AbortController();
  const oldKeyIds = vault.keyIds.filter((id) => id !== vault.currentKeyId);
  // Runs once, to its end, and is no periodic work: no new senha is sealed with an older key.
  let work = Promise.resolve();

  async function checkKeys(): Promise<void> {
    for (const row of await sampleEachKey(database)) {
      vault.open(row.accountId, row);
    }
  }

  async function resealAll(): Promise<void> {
    let total = 0;
    for (let count = -1; count !== 0 && oldKeyIds.length > 0 && !stopping.signal.aborted; total += count) {
      count = await resealSome(database, {
        oldKeyIds,
        limit: batchSize,
        reseal: (row) => vault.seal(row.accountId, vault.open(row.accountId, row)),
      });
    }
    if (total > 0) {
      log.info({ count: total, keyId: vault.currentKeyId }, 'senhas were encrypted with the current key');
    }
  }

  return {
    async start() {
      let checked = false;
      try {
        await checkKeys();
        checked = true;
      } catch (error) {
        // Services start in any order, also before the database.
        if (!isDatabaseUnavailable(error)) {
          throw error;
        }
      }
      const task = async (): Promise<void> => {
        if (!checked) {
          await checkKeys();
        }
        await resealAll();
      };
      const outage = { mayPass: isDatabaseUnavailable, pauseMs: () => retryMs, signal: stopping.signal };
      work = retry(task, outage).catch((error: unknown) => {
        // Stopped during an outage: the next start goes on.
        if (!stopping.signal.aborted || !isDatabaseUnavailable(error)) {
          log.error({ err: error }, 'senhas could not be encrypted with the current key');
        }
      });
    },
    async stop() {
      stopping.abort();
      await work;
    },
  };
}

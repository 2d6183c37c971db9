import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import { isDatabaseUnavailable } from '@sabia/service-kit/postgres/errors';
import type { SenhaVault } from '../domain/senha-vault';
import { resealSome, sampleEachKey } from '../storage/sealed-senhas';

export interface SenhaRotation {
  /**
   * Rejects with a SenhaKeyError when a key that is in use is missing or wrong. What is sealed with an older key is sealed anew
   * in the background, so that the older key can be dropped one day.
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
  /** While the database is away. */
  retryMs?: number;
}): SenhaRotation {
  const stopping = new AbortController();
  const oldKeyIds = vault.keyIds.filter((id) => id !== vault.currentKeyId);
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
      log.info({ count: total, keyId: vault.currentKeyId }, 'senhas were encrypted anew with the current key');
    }
  }

  async function whenDatabaseAnswers(task: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        return await task();
      } catch (error) {
        if (!isDatabaseUnavailable(error)) {
          throw error;
        }
        await delay(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
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
      work = whenDatabaseAnswers(async () => {
        if (!checked) {
          await checkKeys();
        }
        await resealAll();
      }).catch((error: unknown) => log.error({ err: error }, 'senhas could not be encrypted anew'));
    },
    async stop() {
      stopping.abort();
      await work;
    },
  };
}

import type { Logger } from '@sabia/service-kit/logging';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { touchTokens } from './access-tokens';

const resolutionMs = 60_000;
const flushMs = 1_000;
const batchSize = 1_000;

export interface TokenUsage {
  /** Remembers a use; `lastUsedAt` is what the table says. Costs no query. */
  note(hash: Buffer, lastUsedAt: Date | null): void;
  start(): void;
  stop(): Promise<void>;
}

/** Keeps `last_used_at` within a minute of the truth without a write on the path of every request. */
export function createTokenUsage({
  database,
  log,
  now,
}: {
  database: Queryable;
  log: Logger;
  now: () => Date;
}): TokenUsage {
  const uses = new Map<string, { hash: Buffer; at: Date }>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const noted = [...uses.values()];
    uses.clear();
    for (let start = 0; start < noted.length; start += batchSize) {
      try {
        await touchTokens(database, noted.slice(start, start + batchSize));
      } catch (error) {
        // The next use of the token notes it again; nothing of worth is lost.
        log.warn({ err: error }, 'the last use of some tokens could not be noted');
      }
    }
  }

  return {
    note(hash, lastUsedAt) {
      const at = now();
      if (lastUsedAt === null || at.getTime() - lastUsedAt.getTime() >= resolutionMs) {
        uses.set(hash.toString('base64'), { hash, at });
      }
    },
    start() {
      timer = setInterval(() => {
        flushing = flushing.then(flush);
      }, flushMs);
    },
    async stop() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}

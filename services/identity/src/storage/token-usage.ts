import type { Queryable } from '@sabia/service-kit/postgres/database';
import { touchTokens } from './access-tokens';

const resolutionMs = 60_000;
const batchSize = 1_000;

export interface TokenUsage {
  /** Notes a use in memory; `lastUsedAt` is the stored value. */
  note(hash: Buffer, lastUsedAt: Date | null): void;
  /** Writes the noted uses. Failed writes are dropped: the next use of the token is noted again. */
  flush(): Promise<void>;
}

/** Keeps `last_used_at` accurate to a minute without a write per request. */
export function createTokenUsage({ database, now }: { database: Queryable; now: () => Date }): TokenUsage {
  const uses = new Map<string, { hash: Buffer; at: Date }>();
  return {
    note(hash, lastUsedAt) {
      const at = now();
      if (lastUsedAt === null || at.getTime() - lastUsedAt.getTime() >= resolutionMs) {
        uses.set(hash.toString('base64'), { hash, at });
      }
    },
    async flush() {
      const noted = [...uses.values()];
      uses.clear();
      for (let start = 0; start < noted.length; start += batchSize) {
        await touchTokens(database, noted.slice(start, start + batchSize));
      }
    },
  };
}

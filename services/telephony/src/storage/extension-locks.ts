import type { Queryable } from '@sabia/service-kit/postgres/database';

export interface ExtensionLock {
  /** ramal@domain */
  endpoint: string;
  forMs: number;
  /** Addresses and networks that the lock does not apply to. */
  spared: readonly string[];
}

/** Takes effect when Asterisk next reads the endpoint (sip.ps_endpoints), and ends by itself. */
export async function lockExtension(queryable: Queryable, { endpoint, forMs, spared }: ExtensionLock): Promise<void> {
  await queryable.query(
    `INSERT INTO sip.extension_locks (endpoint, locked_until, spared)
     VALUES ($1, clock_timestamp() + make_interval(secs => $2::float8), $3)
     ON CONFLICT (endpoint) DO UPDATE SET locked_until = excluded.locked_until, spared = excluded.spared`,
    [endpoint, forMs / 1_000, spared.join(',')],
  );
}

export async function forgetOldLocks(queryable: Queryable): Promise<void> {
  await queryable.query('DELETE FROM sip.extension_locks WHERE locked_until <= clock_timestamp()');
}

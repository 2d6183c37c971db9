import type { Logger } from '@sabia/service-kit/logging';
import type { Queryable } from '@sabia/service-kit/postgres/database';

const everyMs = 60 * 60 * 1000;
const day = 24 * 60 * 60 * 1000;
/** Until then an expired token is told apart from an unknown one. */
const keepExpiredTokensMs = 30 * day;
/** Until then a link that was used or came too late says so. */
const keepSpentLinksMs = 7 * day;

export interface Housekeeping {
  start(): void;
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/** Removes what no longer matters to anybody. Several replicas may sweep at once. */
export function createHousekeeping({
  database,
  expireSignUps,
  log,
  now,
}: {
  database: Queryable;
  expireSignUps: () => Promise<void>;
  log: Logger;
  now: () => Date;
}): Housekeeping {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  async function sweep(): Promise<void> {
    const before = (age: number) => new Date(now().getTime() - age);
    await database.query('DELETE FROM access_tokens WHERE expires_at < $1', [before(keepExpiredTokensMs)]);
    await database.query('DELETE FROM one_time_tokens WHERE expires_at < $1', [before(keepSpentLinksMs)]);
    await database.query('DELETE FROM login_throttle WHERE window_ends_at < $1', [now()]);
    await database.query('DELETE FROM former_emails WHERE until < $1', [now()]);
    await expireSignUps();
  }

  return {
    sweep,
    start() {
      timer = setInterval(() => {
        sweeping = sweep().catch((error: unknown) =>
          log.warn({ err: error }, 'housekeeping failed, trying again in an hour'),
        );
      }, everyMs);
    },
    async stop() {
      clearInterval(timer);
      await sweeping;
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../logging';
import { isDatabaseUnavailable, sqlState } from './errors';

export interface Patience {
  /** How long to go on trying; 0: the first failure is final. */
  waitMs: number;
  retryMs: number;
  log: Logger;
}

/** A server that has just been installed gets its databases and roles a moment later. */
const statesBeforeSetUp = new Set([
  '28P01', // invalid_password: also of a role that does not exist
  '28000', // invalid_authorization_specification
  '3D000', // invalid_catalog_name: the database does not exist
]);

/** Repeats the work while the database is away or not set up yet. Every other failure is final. */
export async function untilSetUp<T>({ waitMs, retryMs, log }: Patience, work: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + waitMs;
  let told: string | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || Date.now() + retryMs > giveUpAt) throw error;
      const reason = reasonOf(error);
      if (reason !== told) log.warn({ reason }, 'the database is not ready, waiting');
      told = reason;
    }
    await delay(retryMs);
  }
}

const mayPass = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || statesBeforeSetUp.has(sqlState(error) ?? '');

/** The driver's message: a ServiceError only says that the database is away. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Partial<Error>;
  return (cause as Partial<Error> | undefined)?.message ?? message ?? String(error);
}

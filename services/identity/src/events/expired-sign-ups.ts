import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Transaction } from '@sabia/service-kit/postgres/database';
import { signUpKeptMs } from '../domain/sign-up';
import { deleteExpiredSignUps } from '../storage/sign-ups';
import { accountDeleted } from './published';

/** Deletes sign-ups that were not confirmed in time: all of them, or the one with the given domain. */
export async function expireSignUps(tx: Transaction, outbox: Outbox, now: Date, domain?: string): Promise<void> {
  const expired = await deleteExpiredSignUps(tx, new Date(now.getTime() - signUpKeptMs), domain);
  await outbox.write(tx, expired.map(accountDeleted));
}

import { badRequest } from '@sabia/service-kit/errors';
import type { Queryable } from '@sabia/service-kit/postgres/database';
import { hashToken } from '../domain/access-token';
import type { User } from '../domain/user';
import { findOneTimeToken } from '../storage/one-time-tokens';
import { findUserById } from '../storage/users';

/** A confirmation link that can be used. */
export interface Confirmation {
  hash: Buffer;
  user: User;
  /** The address that the link confirms. */
  email: string;
  /** True if an existing user moves to this address, false if it is the address of a new user. */
  changesEmail: boolean;
}

export async function findConfirmation(db: Queryable, token: string, now: Date): Promise<Confirmation> {
  const hash = hashToken(token);
  const found = await findOneTimeToken(db, hash, 'confirm-email');
  if (found === undefined) {
    throw unknownLink();
  }
  if (found.usedAt !== null) {
    throw usedLink();
  }
  if (found.expiresAt <= now) {
    throw badRequest('TOKEN_EXPIRED', 'This confirmation link has expired. Ask for a new one.');
  }
  const user = await findUserById(db, found.userId);
  return { hash, email: found.email, ...requireWaiting(user, found.email) };
}

/** Throws unless the user still waits for the confirmation of this address. */
export function requireWaiting(user: User | undefined, email: string): Pick<Confirmation, 'user' | 'changesEmail'> {
  if (user?.pendingEmail === email) {
    return { user, changesEmail: true };
  }
  if (user?.email === email && !user.emailVerified) {
    return { user, changesEmail: false };
  }
  throw unknownLink();
}

export const unknownLink = () => badRequest('INVALID_TOKEN', 'This confirmation link is not valid.');

export const usedLink = () => badRequest('TOKEN_USED', 'This confirmation link has been used already.');

import type { Language } from '@sabia/service-kit/brand/language';
import { conflict } from '@sabia/service-kit/errors';

export type Role = 'ADMIN' | 'USER';

export interface User {
  id: number;
  uuid: string;
  accountId: number;
  name: string;
  email: string;
  /** Replaces the e-mail once it is confirmed. */
  pendingEmail: string | null;
  phone: string | null;
  role: Role;
  emailVerified: boolean;
  createdAt: Date;
  updatedAt: Date;
  lastLoginAt: Date | null;
  /** null if not chosen. */
  language: Language | null;
}

/** The caller, as far as the rules need it. */
export interface Actor {
  userId: number;
  accountId: number;
  role: Role;
}

/** `adminCount` is counted while the account row is locked, so that two demotions cannot both see the other ADMIN. */
export function refuseLosingLastAdmin(user: Pick<User, 'role'>, adminCount: number): void {
  if (user.role === 'ADMIN' && adminCount <= 1) {
    throw conflict('LAST_ADMIN', 'The last ADMIN of an account can be neither demoted nor deleted.');
  }
}

export type UserReference = { id: number } | { uuid: string };

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Users are named by uuid or by number; anything else names no user. */
export function readUserReference(text: string): UserReference | undefined {
  if (uuidPattern.test(text)) {
    return { uuid: text.toLowerCase() };
  }
  return /^[1-9]\d{0,14}$/.test(text) ? { id: Number(text) } : undefined;
}

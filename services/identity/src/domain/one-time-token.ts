import { randomBytes } from 'node:crypto';
import { hashToken } from './access-token';

/** The purpose of a link in a mail. */
export type Purpose = 'confirm-email' | 'reset-password' | 'undo-email-change';

const hour = 60 * 60 * 1000;

export const lifetimeMs: Record<Purpose, number> = {
  'confirm-email': 48 * hour,
  'reset-password': hour,
  'undo-email-change': 7 * 24 * hour,
};

/**
 * How many links of one purpose may be sent within an hour; further requests get the same response and send nothing. An address may get
 * more than a user, because several sign-ups may wait for it: those of strangers must not suppress the mail of its owner.
 */
export const linksPerHour = { ofUser: 5, ofAddress: 25 };

export interface OneTimeToken {
  hash: Buffer;
  purpose: Purpose;
  createdAt: Date;
  expiresAt: Date;
}

export function mintOneTimeToken(purpose: Purpose, now: Date): { token: string; row: OneTimeToken } {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now.getTime() + lifetimeMs[purpose]);
  return { token, row: { hash: hashToken(token), purpose, createdAt: now, expiresAt } };
}

import { hash, randomBytes } from 'node:crypto';
import { checkLine } from '@sabia/service-kit/validation/text-field';
import { Violations } from '@sabia/service-kit/validation/violations';

export const defaultTtlSeconds = 14 * 24 * 60 * 60;
export const maximumTtlSeconds = 365 * 24 * 60 * 60;
export const neverExpires = -1;
export const prefixLength = 8;

/** 'session': of a person in the console, kept in a cookie. */
export type TokenKind = 'api' | 'session';

export interface AccessToken {
  hash: Buffer;
  kind: TokenKind;
  prefix: string;
  userId: number;
  ttl: number;
  createdAt: Date;
  expiresAt: Date | null;
}

export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** 48 random bytes are 64 characters of the URL-safe alphabet. The token itself is returned to the client and never stored. */
export function mintAccessToken(
  userId: number,
  ttl: number,
  now: Date,
  kind: TokenKind = 'api',
): { token: string; row: AccessToken } {
  const token = randomBytes(48).toString('base64url');
  return {
    token,
    row: {
      hash: hashToken(token),
      kind,
      prefix: token.slice(0, prefixLength),
      userId,
      ttl,
      createdAt: now,
      expiresAt: ttl === neverExpires ? null : new Date(now.getTime() + ttl * 1000),
    },
  };
}

const maximumNameLength = 100;

/** null for a token without a name. */
export function readTokenName(value: string | undefined): string | null {
  if (value === undefined || value.trim() === '') {
    return null;
  }
  const violations = new Violations();
  const name = checkLine(violations, 'name', value, maximumNameLength);
  violations.throwIfAny('accessToken');
  return name;
}

export function readTtl(value: number | undefined): number {
  if (value === undefined) {
    return defaultTtlSeconds;
  }
  if (value === neverExpires) {
    return neverExpires;
  }
  const seconds = Math.floor(value);
  if (!Number.isFinite(seconds) || seconds < 1) {
    const violations = new Violations();
    violations.add('ttl', 'range', 'must be a positive number of seconds, or -1 for a token that never expires');
    violations.throwIfAny('accessToken');
  }
  return Math.min(seconds, maximumTtlSeconds);
}

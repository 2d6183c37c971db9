import { createHash, randomBytes } from 'node:crypto';

/** How long a link can be opened for the first time. */
export const linkLifetimeMs = 15 * 60_000;

export const newToken = (): string => randomBytes(32).toString('base64url');

/** The token has 256 random bits, so that a plain digest cannot be reversed. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

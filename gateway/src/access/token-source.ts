import { createHash, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

// Ours have 64 characters; whatever is this long is none and not worth hashing.
const LONGEST_TOKEN = 1024;

/** The token a request carries: Authorization (raw or Bearer), X-Access-Token, then ?access_token if that is allowed. */
export function tokenOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  query: (() => Record<string, unknown>) | undefined,
): string | undefined {
  return (
    usable(headers.authorization?.replace(/^Bearer(?:\s+|$)/i, '')) ??
    usable(headers['x-access-token']) ??
    usable(query?.()['access_token'])
  );
}

function usable(value: unknown): string | undefined {
  const token = typeof value === 'string' ? value.trim() : '';
  return token === '' || token.length > LONGEST_TOKEN ? undefined : token;
}

/** SHA-256 in hex. The one-shot function is 2.6 times as fast, and arrived in Node 20.12. */
export const hashToken: (token: string) => string =
  typeof hash === 'function'
    ? (token) => hash('sha256', token, 'hex')
    : (token) => createHash('sha256').update(token).digest('hex');

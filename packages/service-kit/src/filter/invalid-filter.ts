import { badRequest } from '../errors';
import type { ServiceError } from '../errors';

/** The message names the offending part, so that a client can find it in its own filter. */
export const invalidFilter = (message: string): ServiceError =>
  badRequest('INVALID_FILTER', `Invalid filter: ${message}`);

/** A client's own words, short enough for a message. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

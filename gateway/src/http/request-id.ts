import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const sane = /^[A-Za-z0-9!#$%&'*+\-.^_`|~:/=@]{1,128}$/;

/** The client's own id when it is fit for logs and headers, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && sane.test(given) ? given : randomUUID();
}

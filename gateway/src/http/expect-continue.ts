import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** The client holds its body back until it is invited: a request that is refused anyway then costs neither side the upload. */
export function holdBody(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

export function isAwaitingContinue(request: IncomingMessage): boolean {
  return waiting.has(request);
}

export function inviteBody(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (response !== undefined) {
    waiting.delete(request);
    response.writeContinue();
  }
}

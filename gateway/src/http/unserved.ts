import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HttpError, otherMethod } from '../errors/http-error';
import { renderError } from '../errors/render';

const servedMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** CONNECT asks a proxy for a tunnel; the gateway is no proxy. */
export function refuseTunnel(_request: IncomingMessage, socket: Socket): void {
  // Node has removed its own error listener; an error without a listener would end the process.
  socket.on('error', () => socket.destroy());
  respond(socket, otherMethod('CONNECT', servedMethods));
}

const clientErrors: Record<string, HttpError> = {
  HPE_HEADER_OVERFLOW: new HttpError(
    431,
    'RequestHeaderFieldsTooLargeError',
    'HEADERS_TOO_LARGE',
    'The request headers are too large.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpError(
    408,
    'RequestTimeoutError',
    'REQUEST_TIMEOUT',
    'The request did not arrive in time.',
  ),
};
const notHttp = new HttpError(400, 'BadRequestError', 'BAD_REQUEST', 'The request is not valid HTTP.');

export function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // As Node's own handler does: a response that has begun must not get a second one in its middle.
  const { _httpMessage: underway } = socket as Socket & { _httpMessage?: ServerResponse };
  if (!socket.writable || underway?.headersSent === true || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  respond(socket, clientErrors[error.code ?? ''] ?? notHttp);
}

/** A connection that never became a request has no exchange, so its response is written to the socket, in the usual form. */
function respond(socket: Socket, error: HttpError): void {
  const requestId = randomUUID();
  const { status, body, headers } = renderError(error, requestId);
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // end() alone would leave the socket half open until the client closes its side.
  socket.destroySoon();
}

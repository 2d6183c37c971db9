import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import type { TlsFiles } from './tls-files';

/**
 * Express sets the prototype of every request and response, which makes V8 drop its optimised shapes of them. Requests and
 * responses that have the right prototype from the start save 30 % of the CPU of a request (docs/decisions/0019-express-is-the-shell.md).
 */
export function createExpressServer(
  app: Express,
  options: ServerOptions,
  isUpgrade: (request: IncomingMessage) => boolean,
  tls?: TlsFiles,
): Server {
  narrowUpgrades(app.request, isUpgrade);
  const prepared = {
    ...options,
    IncomingMessage: withPrototype(IncomingMessage, app.request) as typeof IncomingMessage,
    ServerResponse: withPrototype(ServerResponse, app.response) as typeof ServerResponse,
  };
  if (tls === undefined) {
    return createServer(prepared, app);
  }
  const server = createTlsServer({ ...prepared, ...tls, handshakeTimeout: options.headersTimeout }, app);
  // Node would emit a clientError next, but without a handshake the client could not read a response.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

/**
 * With a listener for upgrades, Node hands over every request that offers one, unread, and many clients offer HTTP/2 with each
 * ordinary request. Node reads `upgrade` of the request, so this property is true only for the upgrades that are accepted.
 */
function narrowUpgrades(prototype: object, isUpgrade: (request: IncomingMessage) => boolean): void {
  const offered = Symbol('upgrade offered');
  Object.defineProperty(prototype, 'upgrade', {
    get(this: IncomingMessage & { [offered]?: boolean }) {
      return this[offered] === true && (this.method === 'CONNECT' || isUpgrade(this));
    },
    set(this: { [offered]?: boolean }, value: boolean | null) {
      this[offered] = value === true;
    },
  });
}

function withPrototype(parent: unknown, prototype: object): unknown {
  const initialise = parent as (this: object, argument: Socket | IncomingMessage, options?: object) => void;
  function Prepared(this: object, argument: Socket | IncomingMessage, options?: object): void {
    initialise.call(this, argument, options);
  }
  Prepared.prototype = prototype;
  return Prepared;
}

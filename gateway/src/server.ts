import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { languages } from '@sabia/service-kit/brand/language';
import type { Language } from '@sabia/service-kit/brand/language';
import express from 'express';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Logger } from '@sabia/service-kit/logging';
import type { Api } from './api';
import type { ConsoleFiles } from './console/console-files';
import { consoleResponse, CONSOLE_PATH } from './console/console-pages';
import { createConsoleDevProxy } from './console/dev-server';
import type { DocsPages } from './docs/docs-pages';
import { DOCS_PATH } from './docs/links';
import { renderError } from './errors/render';
import type { HttpResponse } from './http/response';
import type { Readiness } from './health';
import { createDrain } from './http/drain';
import type { Drain } from './http/drain';
import type { Exchange } from './http/exchange';
import { holdBody } from './http/body';
import { createExpressServer } from './http/express-server';
import { pageHeaders, plainHeaders } from './http/headers';
import type { TlsFiles } from './http/tls-files';
import { languageOf, wantsPage } from './http/reader';
import { refusalOf } from './http/request-context';
import type { RequestContext } from './http/request-context';
import { respondToClientError, refuseTunnel } from './http/unserved';
import { errorPage } from './pages/error-page';
import type { ServeDocument } from './openapi/served-document';
import type { SipProxy } from './sip/sip-proxy';

export interface ApiServerParts {
  api: Api;
  context: RequestContext;
  /** Undefined: there is no switch for web phones. */
  sip?: SipProxy;
  /** Undefined: plain HTTP. */
  tls?: TlsFiles;
  requestTimeoutMs: number;
}

export interface ServerParts extends ApiServerParts {
  readiness: () => Promise<Readiness>;
  pages: {
    home: (language: Language) => string;
    docs: DocsPages;
    openApi: Readonly<Record<Language, ServeDocument>>;
  };
  /** Undefined: the console was not built, and its paths are unknown. */
  consoleFiles?: ConsoleFiles;
  /** Vite's development server, instead of the files. */
  consoleDevUrl?: string;
  log: Logger;
}

export interface HttpServer {
  listen(host: string, port: number): Promise<number>;
  drain: Drain;
}

const documentPaths: Readonly<Record<string, Language>> = { '/openapi.json': 'en', '/openapi.pt-BR.json': 'pt-BR' };

interface WithExchange extends Request {
  exchange: Exchange;
}

export function createHttpServer(parts: ServerParts): HttpServer {
  return serve(createApp(parts), parts);
}

/** Serves the endpoints of an API and nothing else, no pages: the port of web phones, and that of operators. */
export function createApiServer(parts: ApiServerParts): HttpServer {
  const { api, context } = parts;
  const app = createBareApp();
  app.use((request, response) => void api(context(request, response), refusalOf(request)));
  return serve(app, parts);
}

function serve(app: Express, { sip, tls, requestTimeoutMs }: ApiServerParts): HttpServer {
  const options = {
    // A sender that takes longer for its headers, or for the whole request, gets a 408.
    headersTimeout: Math.min(10_000, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: 1_000,
    // Longer than the idle time of common load balancers, so that the gateway never closes a connection they are about to use.
    keepAliveTimeout: 65_000,
    noDelay: true,
    // Node's own response to a missing Host has no body.
    requireHostHeader: false,
  };
  const server = createExpressServer(app, options, (request) => sip?.concerns(request) === true, tls);
  server.on('upgrade', (request: Request, socket: Socket, head: Buffer) => sip?.upgrade(request, socket, head));
  server.on('checkContinue', (request: Request, response: Response) => {
    holdBody(request, response);
    app(request, response);
  });
  // Without this listener Node refuses an unknown expectation itself, without a body.
  server.on('checkExpectation', app);
  server.on('connect', refuseTunnel);
  server.on('clientError', respondToClientError);
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

function createApp({ api, context, readiness, pages, consoleFiles, consoleDevUrl, log }: ServerParts): Express {
  const app = createBareApp();
  app.use((request, response, next) => {
    const exchange = context(request, response);
    const refusal = refusalOf(request);
    // The API has a router of its own (docs/decisions/0019-express-is-the-shell.md).
    if (refusal !== undefined || exchange.path.startsWith('/api/')) {
      void api(exchange, refusal);
      return;
    }
    (request as WithExchange).exchange = exchange;
    next();
  });
  const homes = Object.fromEntries(languages.map((each) => [each, htmlPage(pages.home(each))]));
  app.get(
    '/',
    page('/', (exchange) => homes[languageOf(exchange)]!),
  );
  app.get([DOCS_PATH, `${DOCS_PATH}/{*path}`], (request, _response, next) => {
    const { exchange } = request as WithExchange;
    const response = pages.docs(exchange.path, languageOf(exchange));
    if (response === undefined) {
      next();
      return;
    }
    exchange.template = DOCS_PATH;
    exchange.send(response);
  });
  for (const [path, language] of Object.entries(documentPaths)) {
    app.get(
      path,
      page(path, ({ request }) => pages.openApi[language](request.headers['accept-encoding'])),
    );
  }
  app.get(
    '/healthz',
    page('/healthz', () => ({ status: 200, body: '{"status":"alive"}' })),
  );
  app.get('/readyz', async (request, response, next) => {
    const { ready, body } = await readiness();
    page('/readyz', () => ({ status: ready ? 200 : 503, body }))(request, response, next);
  });
  if (consoleDevUrl !== undefined) {
    app.use(createConsoleDevProxy(consoleDevUrl));
  } else if (consoleFiles !== undefined) {
    app.get([CONSOLE_PATH, `${CONSOLE_PATH}/{*path}`], (request, _response, next) => {
      const { exchange } = request as WithExchange;
      const response = consoleResponse(consoleFiles, exchange.path, request.headers['accept-encoding']);
      if (response === undefined) {
        next();
        return;
      }
      exchange.template = CONSOLE_PATH;
      exchange.send(response);
    });
  }
  app.use((request) => void api((request as WithExchange).exchange));
  app.use((error: unknown, request: Request, _response: Response, _next: NextFunction) => {
    const { exchange } = request as WithExchange;
    log.error({ err: error, requestId: exchange.requestId }, 'unexpected error');
    const rendered = renderError(error, exchange.requestId);
    exchange.send(wantsPage(exchange) ? errorPage(exchange, rendered) : rendered);
  });
  return app;
}

function htmlPage(body: string): HttpResponse {
  const headers = { vary: 'Accept-Language' };
  return { status: 200, body, contentType: 'text/html; charset=utf-8', headers, base: pageHeaders(body) };
}

function page(template: string, respond: (exchange: Exchange) => HttpResponse) {
  return (request: Request, _response: Response, _next: NextFunction): void => {
    const { exchange } = request as WithExchange;
    exchange.template = template;
    exchange.send({ base: plainHeaders, ...respond(exchange) });
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

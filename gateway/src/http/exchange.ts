import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span } from '@opentelemetry/api';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { RequestScope } from '@sabia/service-kit/request-scope';
import { parseQuery } from '../transcoder/request/input';
import type { InputObject } from '../transcoder/request/input';
import { readBody, readBytes } from './body';
import { apiHeaders } from './headers';
import { sendResponse } from './response';
import type { HttpResponse } from './response';

export interface ExchangeOptions {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  clientIp: string;
  timeoutMs: number;
  bodyLimitBytes: number;
  span: Span;
  /** Aborted when the gateway stops: keep-alive connections then end with their next response. */
  stopping: AbortSignal;
  /** The response has begun and goes on for as long as both sides want. */
  onStreaming: () => void;
}

/** The token that a request came with, for what outlasts the request. */
export interface Credential {
  tokenHash: string;
  /** Milliseconds since the epoch; undefined for a token that never expires. */
  expiresAt?: number;
}

/** One HTTP request and its response, with everything that the steps in between learn about them. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clientIp: string;
  readonly span: Span;
  readonly method: string;
  readonly path: string;
  readonly startedAt = performance.now();
  readonly deadline: Date;
  /** Sent with every response, errors included. */
  readonly headers: Record<string, string> = {};
  /** The template of the route, for logs and metrics; never the raw path, or each id would become a metric series. */
  template = 'unknown';
  /** The resource that errors name. */
  model = 'request';
  caller?: Caller;
  /** Set together with the caller. */
  credential?: Credential;
  idempotencyKey?: string;
  readonly #options: ExchangeOptions;
  readonly #queryText: string;
  readonly #abort = new AbortController();
  #query?: Record<string, unknown>;
  #body?: Promise<InputObject>;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.request = options.request;
    this.response = options.response;
    this.requestId = options.requestId;
    this.clientIp = options.clientIp;
    this.span = options.span;
    this.method = options.request.method ?? 'GET';
    this.deadline = new Date(Date.now() + options.timeoutMs);
    [this.path, this.#queryText] = splitTarget(options.request.url ?? '/');
  }

  query(): Record<string, unknown> {
    this.#query ??= parseQuery(this.#queryText);
    return this.#query;
  }

  /** Reads the body once and returns the same promise from then on. */
  body(): Promise<InputObject> {
    const { request, bodyLimitBytes: limitBytes } = this.#options;
    this.#body ??= readBody({ request, limitBytes, model: this.model });
    return this.#body;
  }

  /** The body as it arrived, for endpoints that pass it on. */
  bytes(): Promise<Buffer> {
    return readBytes(this.request, this.#options.bodyLimitBytes);
  }

  /** For a route without a body: reads and drops whatever the client sends, up to the limit. */
  async ignoreBody(): Promise<void> {
    if (this.#body === undefined) {
      await this.bytes();
    }
  }

  /** The client has gone: cancels the RPCs that run for it. */
  cancel(reason: Error): void {
    this.#abort.abort(reason);
  }

  get cancelled(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Travels to the services with each RPC. */
  scope(options: { cancellable: boolean } = { cancellable: true }): RequestScope {
    return {
      requestId: this.requestId,
      signal: options.cancellable ? this.#abort.signal : new AbortController().signal,
      deadline: this.deadline,
      caller: this.caller,
      clientIp: this.clientIp,
      idempotencyKey: this.idempotencyKey,
      span: this.span,
    };
  }

  /** For one RPC of several that make up a long response: as much time as a whole request usually has. */
  scopeOfPart(): RequestScope {
    return { ...this.scope(), deadline: new Date(Date.now() + this.#options.timeoutMs) };
  }

  send(response: HttpResponse): void {
    const { bodyLimitBytes, stopping, onStreaming } = this.#options;
    const headers = [...(response.base ?? apiHeaders), 'x-request-id', this.requestId];
    append(headers, this.headers);
    append(headers, response.headers);
    if (response.stream !== undefined) {
      onStreaming();
    }
    sendResponse(this.request, this.response, { response, headers, close: stopping.aborted, bodyLimitBytes });
  }
}

function append(list: string[], headers: Readonly<Record<string, string>> | undefined): void {
  for (const name in headers) {
    list.push(name, headers[name]!);
  }
}

/** Path and query; a proxy may send the absolute form, "GET http://host/path". */
function splitTarget(target: string): [path: string, query: string] {
  const relative = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const mark = relative.indexOf('?');
  const path = mark === -1 ? relative : relative.slice(0, mark);
  return [path === '' ? '/' : path, mark === -1 ? '' : relative.slice(mark + 1)];
}

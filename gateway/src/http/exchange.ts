import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span } from '@opentelemetry/api';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { RequestScope } from '@sabia/service-kit/request-scope';
import { parseQuery } from '../transcoder/request/query';
import type { InputObject } from '../transcoder/request/input';
import type { Answer } from './response';
import { readBody, readBytes } from './body';
import { apiHeaders } from './headers';
import { sendAnswer } from './send-response';

export interface ExchangeOptions {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  clientIp: string;
  timeoutMs: number;
  bodyLimitBytes: number;
  span: Span;
  /** Whether the gateway is on its way out, so that keep-alive connections end with this answer. */
  isDraining: () => boolean;
}

/** One HTTP request and its answer, with everything the steps in between learn about it. */
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
  /** Go out with whatever answer is given. */
  readonly headers: Record<string, string> = {};
  /** The template of the route for logs and metrics; a raw path is never one, or every id would be a series of its own. */
  template = 'unknown';
  /** What errors call the thing this request is about. */
  model = 'request';
  caller?: Caller;
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

  /** Read once, however often it is asked for. */
  body(): Promise<InputObject> {
    const { request, bodyLimitBytes: limitBytes } = this.#options;
    this.#body ??= readBody({ request, limitBytes, model: this.model });
    return this.#body;
  }

  /** The body as it came, for whoever reads it elsewhere. */
  bytes(): Promise<Buffer> {
    return readBytes(this.request, this.#options.bodyLimitBytes);
  }

  /** A body that nobody asked for is not looked at, but it is not allowed to be endless either. */
  async ignoreBody(): Promise<void> {
    if (this.#body === undefined) {
      await this.bytes();
    }
  }

  /** The client has gone: what is being done for it is called off. */
  cancel(reason: Error): void {
    this.#abort.abort(reason);
  }

  get cancelled(): boolean {
    return this.#abort.signal.aborted;
  }

  /** What travels along to the services. */
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

  send(answer: Answer): void {
    const { bodyLimitBytes, isDraining } = this.#options;
    const headers = [...(answer.base ?? apiHeaders), 'x-request-id', this.requestId];
    append(headers, this.headers);
    append(headers, answer.headers);
    sendAnswer(this.request, this.response, { answer, headers, close: isDraining(), bodyLimitBytes });
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

import { randomInt } from 'node:crypto';
import { Sabia } from '@sabia/client';
import { Pool } from 'undici';

export interface ApiAnswer<T = unknown> {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Parsed if it was JSON, else undefined. */
  body: T;
  text: string;
}

export interface ApiRequest {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, even if it is not JSON. */
  rawBody?: string | Buffer;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  /** The path is not below /api/v1. */
  outsideApi?: boolean;
}

/** A client of the API with its own address, so that no other test uses up its rate limits. */
export interface StackClient {
  readonly gatewayUrl: string;
  /** Sent as X-Forwarded-For. */
  readonly address: string;
  readonly token: string | undefined;
  /** For what a test needs but is not about: a refusal is thrown. The methods below give every answer as it came. */
  readonly sabia: Sabia;
  request<T = unknown>(method: string, path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
  get<T = unknown>(path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
  head(path: string, request?: ApiRequest): Promise<ApiAnswer>;
  delete<T = unknown>(path: string, request?: ApiRequest): Promise<ApiAnswer<T>>;
  post<T = unknown>(path: string, body?: unknown, request?: ApiRequest): Promise<ApiAnswer<T>>;
  put<T = unknown>(path: string, body?: unknown, request?: ApiRequest): Promise<ApiAnswer<T>>;
  patch<T = unknown>(path: string, body?: unknown, request?: ApiRequest): Promise<ApiAnswer<T>>;
  /** The same client with this token (or none), with another address, or at another gateway. */
  withToken(token: string | undefined): StackClient;
  fromAnotherAddress(): StackClient;
  at(gatewayUrl: string): StackClient;
  close(): Promise<void>;
}

export interface StackClientOptions {
  gatewayUrl: string;
  token?: string;
  address?: string;
}

export function createStackClient(
  options: StackClientOptions,
  pool = new Pool(options.gatewayUrl, { connections: 64 }),
): StackClient {
  const { gatewayUrl, token, address = anyAddress() } = options;

  const request = async <T>(method: string, path: string, given: ApiRequest = {}): Promise<ApiAnswer<T>> => {
    const query = given.query ? `?${new URLSearchParams(given.query).toString()}` : '';
    const body = given.rawBody ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
    const answer = await pool.request({
      method,
      path: `${given.outsideApi ? '' : '/api/v1'}${path}${query}`,
      headers: {
        'x-forwarded-for': address,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: token }),
        ...given.headers,
      },
      body,
    });
    const text = await answer.body.text();
    const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
    return { status: answer.statusCode, headers, text, body: parse(headers['content-type'], text) as T };
  };

  return {
    gatewayUrl,
    address,
    token,
    get sabia() {
      return new Sabia({ baseUrl: gatewayUrl, token, headers: { 'x-forwarded-for': address }, retries: 0 });
    },
    request,
    get: (path, given) => request('GET', path, given),
    head: (path, given) => request('HEAD', path, given),
    delete: (path, given) => request('DELETE', path, given),
    post: (path, body, given) => request('POST', path, { body, ...given }),
    put: (path, body, given) => request('PUT', path, { body, ...given }),
    patch: (path, body, given) => request('PATCH', path, { body, ...given }),
    withToken: (other) => createStackClient({ ...options, address, token: other }, pool),
    fromAnotherAddress: () => createStackClient({ ...options, address: anyAddress() }, pool),
    at: (other) => createStackClient({ ...options, address, gatewayUrl: other }),
    close: () => pool.close(),
  };
}

export function anyAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}

function parse(type: string | undefined, text: string): unknown {
  if (!type?.includes('json') || text === '') return undefined;
  return JSON.parse(text);
}

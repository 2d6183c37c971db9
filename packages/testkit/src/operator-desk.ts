import { readFileSync } from 'node:fs';
import type { StackFile } from '@sabia/embedded/stack/stack-file';
import { createStackClient, type ApiAnswer, type StackClient } from './stack-client';

/** The operator's API of a stack, with the token that the stack keeps for it. */
export interface OperatorDesk {
  url: string;
  client: StackClient;
  get<T = unknown>(path: string, query?: Record<string, string>): Promise<ApiAnswer<T>>;
  post<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer<T>>;
  patch<T = unknown>(path: string, body?: unknown): Promise<ApiAnswer<T>>;
  put<T = unknown>(path: string, body?: unknown): Promise<ApiAnswer<T>>;
  delete<T = unknown>(path: string): Promise<ApiAnswer<T>>;
  /** The number of the account that has this domain. */
  accountOf(domain: string): Promise<number>;
}

export function operatorDesk({ operator }: Pick<StackFile, 'operator'>): OperatorDesk {
  const token = readFileSync(operator.tokenFile, 'utf8').trim();
  const client = createStackClient({ gatewayUrl: operator.url, token });
  const send = <T>(method: string, path: string, request: object = {}): Promise<ApiAnswer<T>> =>
    client.fromAnotherAddress().request<T>(method, `/operator/v1${path}`, { outsideApi: true, ...request });
  return {
    url: operator.url,
    client,
    get: (path, query) => send('GET', path, { query }),
    post: (path, body = {}, headers) => send('POST', path, { body, headers }),
    patch: (path, body) => send('PATCH', path, { body }),
    put: (path, body) => send('PUT', path, { body }),
    delete: (path) => send('DELETE', path),
    async accountOf(domain) {
      const { body } = await send<{ data: { id: number }[] }>('GET', '/accounts', { query: { domain } });
      return body.data[0]!.id;
    },
  };
}

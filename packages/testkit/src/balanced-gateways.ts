import { Agent, request } from 'node:http';
import type { ApiAnswer } from './stack-client';

/** Several gateways behind one name, like a Kubernetes Service: a new connection goes to one that is ready. */
export interface BalancedGateways {
  /** Opens a connection that is kept until the gateway asks to close it. No request is sent twice. */
  connect(): GatewayConnection;
  close(): void;
}

export interface GatewayConnection {
  /** Rejects when the connection breaks. */
  send(sent: SentRequest): Promise<ApiAnswer>;
  close(): void;
}

export interface SentRequest {
  method: string;
  /** Below /api/v1. */
  path: string;
  token: string;
  /** Sent as X-Forwarded-For. */
  address: string;
  body?: unknown;
}

const PROBE_INTERVAL_MS = 100;
const GIVE_UP_AFTER_MS = 60_000;

export async function balanceGateways(urls: readonly string[]): Promise<BalancedGateways> {
  const ready = new Set<string>();
  let turn = 0;
  let closed = false;

  const probe = async (url: string): Promise<void> => {
    // The limit is long, because a slow gateway is not a leaving one.
    const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(20_000) }).then(
      async (answer) => {
        await answer.text();
        return answer.ok;
      },
      () => false,
    );
    if (isReady) ready.add(url);
    else ready.delete(url);
  };
  const follow = async (url: string): Promise<void> => {
    while (!closed) {
      await probe(url);
      await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS));
    }
  };
  await Promise.all(urls.map(probe));
  urls.forEach((url) => void follow(url));

  const choose = (): string => {
    const candidates = [...ready];
    if (candidates.length === 0) throw new Error('no gateway is ready');
    turn += 1;
    return candidates[turn % candidates.length]!;
  };

  return {
    connect() {
      let line: { url: string; agent: Agent } | undefined;
      const drop = (): void => {
        line?.agent.destroy();
        line = undefined;
      };
      return {
        close: drop,
        async send(sent) {
          line ??= { url: choose(), agent: new Agent({ keepAlive: true, maxSockets: 1 }) };
          try {
            const answer = await exchange(line.url, line.agent, sent);
            if (answer.headers.connection === 'close') drop();
            return answer;
          } catch (error) {
            const { url } = line;
            drop();
            throw new Error(`${url}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
          }
        },
      };
    },
    close() {
      closed = true;
    },
  };
}

function exchange(url: string, agent: Agent, { method, path, token, address, body }: SentRequest): Promise<ApiAnswer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    authorization: token,
    'x-forwarded-for': address,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/api/v1${path}`, { method, headers, agent }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const received = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(received) as Record<string, string>,
          text,
          body: answer.headers['content-type']?.includes('json') && text !== '' ? JSON.parse(text) : undefined,
        });
      });
    });
    outgoing.setTimeout(GIVE_UP_AFTER_MS, () => outgoing.destroy(new Error('no answer within 60 s')));
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

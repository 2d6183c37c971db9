import type { IncomingMessage } from 'node:http';
import { WebSocket, type ClientOptions } from 'ws';
import type { SipEdges } from './sip-edges';

/** The edge refuses this very client: it has given too many wrong passwords. */
export class BannedError extends Error {}

const HANDSHAKE_MS = 2_000;

export interface OpenEdgeOptions {
  edges: SipEdges;
  /** The address of the client, which the edge counts wrong passwords by. */
  address: string;
  settings: ClientOptions;
  /** Aborted when the client has left. */
  signal: AbortSignal;
}

/** A connection to the first edge that takes it. */
export async function openEdge({ edges, address, settings, signal }: OpenEdgeOptions): Promise<WebSocket> {
  let reason: unknown = new Error('there is no edge');
  for (const url of await edges.candidates()) {
    signal.throwIfAborted();
    try {
      return await open(url, { ...settings, headers: { 'X-Forwarded-For': address } }, signal);
    } catch (error) {
      if (error instanceof BannedError || signal.aborted) throw error;
      edges.failed(url);
      reason = error;
    }
  }
  throw reason;
}

function open(url: string, settings: ClientOptions, signal: AbortSignal): Promise<WebSocket> {
  const edge = new WebSocket(url, 'sip', { ...settings, handshakeTimeout: HANDSHAKE_MS });
  return new Promise((resolve, reject) => {
    const leave = () => edge.terminate();
    signal.addEventListener('abort', leave, { once: true });
    edge.once('unexpected-response', (_request, response: IncomingMessage) => {
      response.resume();
      edge.terminate();
      const status = response.statusCode ?? 0;
      reject(status === 403 ? new BannedError('banned') : new Error(`${url} responds with ${status}`));
    });
    // Stays for the life of the connection: what happens after the handshake is told by the close.
    edge.on('error', reject);
    edge.once('open', () => {
      signal.removeEventListener('abort', leave);
      resolve(edge);
    });
  });
}

import type { RawData, WebSocket } from 'ws';

/** Bytes that one side has not taken yet. */
const MOST_BUFFERED = 1_048_576;

/** Passes messages between a web phone and an edge until one of them leaves. */
export function relaySip(client: WebSocket, edge: WebSocket): void {
  const pass = (to: WebSocket) => (data: RawData, isBinary: boolean) => {
    if (to.bufferedAmount > MOST_BUFFERED) to.terminate();
    else to.send(data, { binary: isBinary });
  };
  client.on('message', pass(edge));
  edge.on('message', pass(client));
  client.on('error', () => client.terminate());
  client.on('close', () => edge.close());
  edge.on('close', () => client.close());
}

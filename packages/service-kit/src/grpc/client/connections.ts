import { credentials } from '@grpc/grpc-js';
import type { ChannelCredentials } from '@grpc/grpc-js';
import { isIPv6, type Socket } from 'node:net';

export interface Connections {
  /** For a client whose connections these are. */
  readonly credentials: ChannelCredentials;
  /** Breaks the connections to a replica, named as grpc-js names a peer. It gets no RPC until it has accepted a new one. */
  cut(peer: string): void;
}

/**
 * Knows the connections of a client. A replica that is stopped, or cut off by the network, keeps its connections and says nothing;
 * grpc-js would send it RPCs for as long as it does. Its keepalive would notice, but also cuts a connection that the server is closing in
 * good order, with the RPCs that still run on it.
 */
export function trackConnections(): Connections {
  const sockets = new Map<string, Set<Socket>>();
  const insecure = credentials.createInsecure();
  const createConnector = insecure._createSecureConnector.bind(insecure);

  function track(socket: Socket): void {
    const peer = peerOf(socket);
    const all = sockets.get(peer) ?? new Set();
    sockets.set(peer, all.add(socket));
    socket.once('close', () => {
      all.delete(socket);
      if (all.size === 0) sockets.delete(peer);
    });
  }

  insecure._createSecureConnector = (...of) => {
    const connector = createConnector(...of);
    return {
      ...connector,
      connect(socket) {
        track(socket);
        return connector.connect(socket);
      },
    };
  };
  // Clients of one process with equal credentials would share connections.
  insecure._equals = (other) => other === insecure;
  return {
    credentials: insecure,
    cut: (peer) => sockets.get(peer)?.forEach((socket) => socket.destroy()),
  };
}

function peerOf({ remoteAddress = '', remotePort }: Socket): string {
  return `${isIPv6(remoteAddress) ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

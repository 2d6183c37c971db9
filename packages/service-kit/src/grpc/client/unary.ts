import { status } from '@grpc/grpc-js';
import type { Client, ClientUnaryCall, ServiceError as GrpcError } from '@grpc/grpc-js';
import { metadataKeys, toMetadata } from '../rpc-headers';
import type { RpcHeaders } from '../rpc-headers';
import { grpcError } from '../status';

export interface OutgoingRpc {
  path: string;
  message: Buffer;
  headers: RpcHeaders;
  /** In milliseconds since the epoch. */
  deadline: number;
  /** How long to wait for a connection while there is none. */
  patienceMs: number;
  /** Whether it may be sent again after a server may have seen it, whatever its method. */
  repeatable: boolean;
  /** Called in the same turn of the event loop as `done`. */
  onReplayed: (() => void) | undefined;
}

export type Done = (error: GrpcError | null, message: Buffer) => void;

export interface RpcTransport {
  /** Calls `done` once. The returned function cancels the RPC. */
  send(rpc: OutgoingRpc, done: Done): () => void;
  /** RPCs under way may still end. */
  close(): void;
}

const MAXIMUM_REFUSALS = 5;
const PAUSE_MS = 50;
const noMessage = Buffer.alloc(0);
const asIs = (bytes: Buffer): Buffer => bytes;

/** The plain path: one HTTP/2 stream per RPC, as gRPC defines it. */
export function createUnaryTransport(client: Client): RpcTransport {
  return { send: (rpc, done) => sendUnary(client, rpc, done), close: () => undefined };
}

function sendUnary(
  client: Client,
  { path, message, headers, deadline, patienceMs, onReplayed }: OutgoingRpc,
  done: Done,
): () => void {
  const startedAt = performance.now();
  const metadata = toMetadata(headers);
  let outgoing: ClientUnaryCall | undefined;
  let cancelled = false;

  const attempt = (refusals: number): void => {
    try {
      outgoing = send(refusals);
    } catch (error) {
      // The client has been closed in the meantime.
      done(grpcError(status.UNAVAILABLE, String(error)), noMessage);
    }
  };

  const send = (refusals: number): ClientUnaryCall => {
    const call = client.makeUnaryRequest(path, asIs, asIs, message, metadata, { deadline }, (error, response) => {
      if (error === null || cancelled) {
        done(error, response ?? noMessage);
      } else if (refusals < MAXIMUM_REFUSALS && wasRefused(error)) {
        attempt(refusals + 1);
      } else if (performance.now() - startedAt < patienceMs && wasNeverSent(error)) {
        setTimeout(() => (cancelled ? done(error, noMessage) : attempt(refusals)), PAUSE_MS);
      } else {
        done(error, noMessage);
      }
    });
    if (onReplayed !== undefined) {
      call.on('status', ({ metadata: trailer }) => {
        if (trailer.get(metadataKeys.replayed).length > 0) onReplayed();
      });
    }
    return call;
  };
  attempt(0);
  return () => {
    cancelled = true;
    outgoing?.cancel();
  };
}

/**
 * HTTP/2 REFUSED_STREAM: the server has not processed the request, so any RPC may be sent again. It comes from a connection that
 * has reached its maximum age or whose server is stopping. grpc-js itself sends again only once, which is too little when the next
 * connection reaches its maximum age at the same moment.
 */
function wasRefused(error: GrpcError): boolean {
  return error.code === status.UNAVAILABLE && error.details === 'Stream refused by server';
}

/**
 * No replica was connected: the last known one has gone, and the address is being resolved again. The request has not left this
 * process, so any RPC may wait for a replica.
 */
function wasNeverSent({ code, details }: GrpcError): boolean {
  return (
    code === status.UNAVAILABLE &&
    /^(round_robin: No connection|No addresses resolved|Name resolution failed)/.test(details)
  );
}

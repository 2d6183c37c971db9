import { status } from '@grpc/grpc-js';
import type { Client, ClientUnaryCall, ServiceError as GrpcError } from '@grpc/grpc-js';
import { toMetadata } from '../rpc-headers';
import type { RpcHeaders } from '../rpc-headers';
import { metadataKeys } from '../metadata-keys';
import { grpcError } from '../status';

export interface UnaryRpc {
  path: string;
  message: Buffer;
  headers: RpcHeaders;
  deadline: number;
  /** How long to wait for a connection when there is none. */
  patienceMs: number;
  /** Called in the same turn as `answered`, after it. */
  onReplayed: (() => void) | undefined;
}

export type Answered = (error: GrpcError | null, message: Buffer) => void;

const MAXIMUM_REFUSALS = 5;
const PAUSE_MS = 50;
const nothing = Buffer.alloc(0);
const asIs = (bytes: Buffer): Buffer => bytes;

/** A call as gRPC knows it. The function that is returned cancels it. */
export function sendUnary(
  client: Client,
  { path, message, headers, deadline, patienceMs, onReplayed }: UnaryRpc,
  answered: Answered,
): () => void {
  const startedAt = performance.now();
  const metadata = toMetadata(headers);
  let outgoing: ClientUnaryCall | undefined;
  let cancelled = false;

  const attempt = (refusals: number): void => {
    try {
      outgoing = send(refusals);
    } catch (error) {
      // The client was closed meanwhile.
      answered(grpcError(status.UNAVAILABLE, String(error)), nothing);
    }
  };

  const send = (refusals: number): ClientUnaryCall => {
    const call = client.makeUnaryRequest(path, asIs, asIs, message, metadata, { deadline }, (error, response) => {
      if (error === null || cancelled) {
        answered(error, response ?? nothing);
      } else if (refusals < MAXIMUM_REFUSALS && wasRefused(error)) {
        attempt(refusals + 1);
      } else if (performance.now() - startedAt < patienceMs && wasNeverSent(error)) {
        setTimeout(() => (cancelled ? answered(error, nothing) : attempt(refusals)), PAUSE_MS);
      } else {
        answered(error, nothing);
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
 * HTTP/2 REFUSED_STREAM: the server has not looked at the request, so that any rpc may be sent again. It comes from a
 * connection that has reached its age or whose server is stopping; grpc-js itself sends again only once, which is too little
 * when the next connection has come of age in the same moment.
 */
function wasRefused(error: GrpcError): boolean {
  return error.code === status.UNAVAILABLE && error.details === 'Stream refused by server';
}

/**
 * No replica was connected: the last one that was known has gone, and its heir is being looked up. The request has not left this
 * process, so that any rpc may wait for it.
 */
function wasNeverSent({ code, details }: GrpcError): boolean {
  return (
    code === status.UNAVAILABLE &&
    /^(round_robin: No connection|No addresses resolved|Name resolution failed)/.test(details)
  );
}

import { Metadata, status } from '@grpc/grpc-js';
import type { Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { fromMetadata, metadataKeys } from '../rpc-headers';
import type { ServedMethod, Serving } from './serving';

// Timers on the two ends of a connection do not fire in the same millisecond.
const DEADLINE_TOLERANCE_MS = 10;

// The serving layer has the codecs, so that a message that cannot be decoded or encoded is logged and answered like any other failure.
const asIs = (bytes: Buffer): Buffer => bytes;

/** The plain path: one HTTP/2 stream per RPC, as gRPC defines it. */
export function serveUnary(server: Server, serving: Serving, served: ServedMethod): void {
  const handle = (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    const until = call.getDeadline();
    const deadline = until === Infinity ? undefined : new Date(until);
    const cancel = serving.serve(
      { served, request: call.request, headers: fromMetadata(call.metadata), deadline },
      {
        succeeded: (message, replayed) => callback(null, message, replayed ? replayedTrailer() : undefined),
        failed: callback,
      },
    );
    // grpc-js emits "cancelled" in three cases: the client has gone, the deadline has passed, and the response is sent.
    call.on('cancelled', () => {
      if (deadline !== undefined && Date.now() >= deadline.getTime() - DEADLINE_TOLERANCE_MS) {
        cancel(status.DEADLINE_EXCEEDED, 'the deadline has passed');
      } else {
        cancel(status.CANCELLED, 'the client has gone');
      }
    });
  };
  server.register(served.method.path, handle, asIs, asIs, 'unary');
}

function replayedTrailer(): Metadata {
  const trailer = new Metadata();
  trailer.set(metadataKeys.replayed, 'true');
  return trailer;
}

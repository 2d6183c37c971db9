import { Metadata } from '@grpc/grpc-js';
import type { Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { departureOf } from './departure';
import { fromMetadata, metadataKeys } from '../rpc-headers';
import type { ServedMethod, Serving } from './serving';

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
    call.on('cancelled', () => cancel(...departureOf(deadline)));
  };
  server.register(served.method.path, handle, asIs, asIs, 'unary');
}

function replayedTrailer(): Metadata {
  const trailer = new Metadata();
  trailer.set(metadataKeys.replayed, 'true');
  return trailer;
}

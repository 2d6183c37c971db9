import { Metadata, status } from '@grpc/grpc-js';
import type { Server, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { fromMetadata } from '../rpc-headers';
import { metadataKeys } from '../metadata-keys';
import type { ServedMethod, Serving } from './serving';

// The timers of two machines, or of the two ends of one connection, do not go off in the same millisecond.
const DEADLINE_TOLERANCE_MS = 10;

// Messages are coded where the handler runs, so that one which cannot be is logged and answered like any other failure.
const asIs = (bytes: Buffer): Buffer => bytes;

/** An rpc as gRPC knows it: a call of its own. */
export function serveUnary(server: Server, serving: Serving, served: ServedMethod): void {
  const handle = (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    const until = call.getDeadline();
    const deadline = until === Infinity ? undefined : new Date(until);
    const cancel = serving.serve(
      { served, request: call.request, headers: fromMetadata(call.metadata), deadline },
      {
        answered: (message, replayed) => callback(null, message, replayed ? replayedTrailer() : undefined),
        failed: callback,
      },
    );
    // grpc-js says "cancelled" in three cases: the client has gone, the deadline has passed, and the answer is sent.
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

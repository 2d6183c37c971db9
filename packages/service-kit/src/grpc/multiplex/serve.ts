import { Metadata, status } from '@grpc/grpc-js';
import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import { RpcStreamServiceService } from '@sabia/protos/sabia/api/v1/rpc_stream';
import type {
  OpenRpcStreamRequest,
  OpenRpcStreamResponse,
  StreamedResponse,
  StreamedRpc,
} from '@sabia/protos/sabia/api/v1/rpc_stream';
import { metadataKeys } from '../rpc-headers';
import { departureOf } from '../server/departure';
import type { ServedMethod, Serving } from '../server/serving';
import { bareStatus } from '../status';
import type { GrpcStatus } from '../status';
import { Batch, HEADER_BYTES } from './link';

export interface StreamServing {
  /** Asks every client to send new RPCs elsewhere. Resolves when the last stream has ended, all its RPCs answered. */
  leave(): Promise<void>;
  /** Ends every stream without waiting. */
  end(): void;
}

type Stream = ServerDuplexStream<OpenRpcStreamRequest, OpenRpcStreamResponse>;

/** Shorter than the grace time of an old connection, so that a stream opened last and its RPCs end before the connection is cut. */
const OLDEST_STREAM_MS = 24_000;
const SHARE_OF_CONNECTION_AGE = 0.8;
/** The longest delay that setTimeout() accepts. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const noBytes = Buffer.alloc(0);

/** Serves the RPCs of every method of this server, many over one stream. */
export function serveStreams(
  server: Server,
  serving: Serving,
  methods: ReadonlyMap<string, ServedMethod>,
  maxConnectionAgeMs: number,
): StreamServing {
  /** Every open stream, with the function that asks its client to leave. */
  const streams = new Map<Stream, () => void>();
  let allEnded: (() => void) | undefined;
  let leaving = false;

  function open(stream: Stream): void {
    /** By id, the function that ends an RPC whose client has gone or whose deadline has passed. */
    const running = new Map<number, () => void>();
    const responses = new Batch<StreamedResponse>((batch) => stream.write({ responses: batch, leaving: false }));
    const respond = (response: StreamedResponse): void =>
      responses.add(response, response.message.length + HEADER_BYTES);
    const leave = (): void => {
      stream.write({ responses: responses.take(), leaving: true });
      clearTimeout(ageTimer);
    };
    const ageTimer = setTimeout(
      leave,
      Math.min(maxConnectionAgeMs * SHARE_OF_CONNECTION_AGE, OLDEST_STREAM_MS),
    ).unref();

    function serve(rpc: StreamedRpc): void {
      const served = methods.get(rpc.path);
      if (served === undefined) {
        respond(responseTo(rpc.id, bareStatus(status.UNIMPLEMENTED)));
        return;
      }
      const deadline = new Date(Date.now() + rpc.timeoutMs);
      const timer = setTimeout(() => running.get(rpc.id)?.(), Math.min(rpc.timeoutMs, LONGEST_TIMEOUT_MS));
      let finished = false;
      const finish = (response: StreamedResponse): void => {
        finished = true;
        clearTimeout(timer);
        running.delete(rpc.id);
        respond(response);
      };
      const cancel = serving.serve(
        { served, request: rpc.message, headers: rpc, deadline },
        {
          succeeded: (message, replayed) => finish({ ...responseTo(rpc.id), message, replayed }),
          failed: (failure) => finish(responseTo(rpc.id, failure)),
        },
      );
      // A handler can fail synchronously.
      if (!finished) {
        running.set(rpc.id, () => {
          clearTimeout(timer);
          running.delete(rpc.id);
          cancel(...departureOf(deadline));
        });
      }
    }

    const abandon = (): void => {
      streams.delete(stream);
      if (streams.size === 0) allEnded?.();
      clearTimeout(ageTimer);
      for (const end of [...running.values()]) end();
    };

    stream.on('data', ({ rpcs, cancelledIds }: OpenRpcStreamRequest) => {
      rpcs.forEach(serve);
      for (const id of cancelledIds) running.get(id)?.();
    });
    // The client ends the stream when all its RPCs are answered.
    stream.on('end', () => {
      abandon();
      stream.end();
    });
    stream.on('cancelled', abandon);
    stream.on('error', abandon);
    streams.set(stream, leave);
    // The client takes these headers for the sign that the stream is open.
    stream.sendMetadata(new Metadata());
    if (leaving) leave();
  }

  const { path, requestDeserialize, responseSerialize } = RpcStreamServiceService.openRpcStream;
  server.register(path, open, responseSerialize, requestDeserialize, 'bidi');
  return {
    async leave() {
      leaving = true;
      for (const leaveStream of streams.values()) leaveStream();
      if (streams.size > 0) await new Promise<void>((resolve) => (allEnded = resolve));
    },
    end() {
      for (const stream of streams.keys()) stream.end();
    },
  };
}

function responseTo(id: number, failure?: GrpcStatus): StreamedResponse {
  const [statusDetails] = failure?.metadata.get(metadataKeys.statusDetails) ?? [];
  return {
    id,
    message: noBytes,
    code: failure?.code ?? status.OK,
    details: failure?.details ?? '',
    statusDetails: Buffer.isBuffer(statusDetails) ? statusDetails : noBytes,
    replayed: false,
  };
}

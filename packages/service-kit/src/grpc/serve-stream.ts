import { Metadata, status } from '@grpc/grpc-js';
import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import type {
  OpenCallStreamRequest,
  OpenCallStreamResponse,
  StreamedAnswer,
  StreamedCall,
} from '@sabia/protos/sabia/api/v1/call_stream';
import { Batch } from './batch';
import { callStream } from './call-stream';
import { metadataKeys } from './metadata-keys';
import type { Cancel, ServedMethod, Serving } from './serving';
import { bareStatus } from './status';
import type { GrpcStatus } from './status';

export interface StreamServing {
  /** Asks every client to take its new calls elsewhere; each stream ends with its last answer. */
  leave(): void;
}

type Stream = ServerDuplexStream<OpenCallStreamRequest, OpenCallStreamResponse>;

/** A connection of age is cut a minute later: no stream on it, nor the last call of that stream, may be older. */
const OLDEST_STREAM_MS = 25_000;
const nothing = Buffer.alloc(0);

/** Calls of any rpc of this server, many over one stream. */
export function serveStreams(
  server: Server,
  serving: Serving,
  methods: ReadonlyMap<string, ServedMethod>,
  maxConnectionAgeMs: number,
): StreamServing {
  const leavers = new Set<() => void>();
  let leaving = false;

  function open(stream: Stream): void {
    const running = new Map<number, Cancel>();
    const answers = new Batch<StreamedAnswer>((batch) => stream.write({ answers: batch, leaving: false }));
    const leave = (): void => {
      stream.write({ answers: answers.take(), leaving: true });
      leavers.delete(leave);
      clearTimeout(ofAge);
    };
    const ofAge = setTimeout(leave, Math.min(maxConnectionAgeMs, OLDEST_STREAM_MS)).unref();

    function take(call: StreamedCall): void {
      const served = methods.get(call.path);
      if (served === undefined) {
        answers.add(failureOf(call.id, bareStatus(status.UNIMPLEMENTED)), 0);
        return;
      }
      const timer = setTimeout(
        () => running.get(call.id)?.(status.DEADLINE_EXCEEDED, 'the deadline has passed'),
        call.timeoutMs,
      );
      let replied = false;
      const reply = (answer: StreamedAnswer): void => {
        replied = true;
        clearTimeout(timer);
        running.delete(call.id);
        answers.add(answer, answer.message.length);
      };
      const cancel = serving.serve(
        { served, request: call.message, headers: call, deadline: new Date(Date.now() + call.timeoutMs) },
        {
          answered: (message, replayed) => reply({ ...failureOf(call.id, undefined), message, replayed }),
          failed: (failure) => reply(failureOf(call.id, failure)),
        },
      );
      // A handler may fail before it has waited for anything.
      if (!replied) {
        running.set(call.id, (code, why) => {
          clearTimeout(timer);
          running.delete(call.id);
          cancel(code, why);
        });
      }
    }

    const abandon = (): void => {
      leavers.delete(leave);
      clearTimeout(ofAge);
      for (const cancel of [...running.values()]) cancel(status.CANCELLED, 'the client has gone');
    };

    stream.on('data', ({ calls, cancelledIds }: OpenCallStreamRequest) => {
      calls.forEach(take);
      for (const id of cancelledIds) running.get(id)?.(status.CANCELLED, 'the client has gone');
    });
    // The client ends it when it has every answer.
    stream.on('end', () => {
      abandon();
      stream.end();
    });
    stream.on('cancelled', abandon);
    stream.on('error', abandon);
    leavers.add(leave);
    // Tells the client that there is somebody at the other end.
    stream.sendMetadata(new Metadata());
    if (leaving) leave();
  }

  server.register(callStream.path, open, callStream.responseSerialize, callStream.requestDeserialize, 'bidi');
  return {
    leave() {
      leaving = true;
      for (const leaveStream of [...leavers]) leaveStream();
    },
  };
}

function failureOf(id: number, failure: GrpcStatus | undefined): StreamedAnswer {
  const [statusDetails] = failure?.metadata.get(metadataKeys.statusDetails) ?? [];
  return {
    id,
    message: nothing,
    code: failure?.code ?? status.OK,
    details: failure?.details ?? '',
    statusDetails: Buffer.isBuffer(statusDetails) ? statusDetails : nothing,
    replayed: false,
  };
}

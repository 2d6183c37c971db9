import { Metadata, status } from '@grpc/grpc-js';
import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import type {
  OpenCallStreamRequest,
  OpenCallStreamResponse,
  StreamedAnswer,
  StreamedCall,
} from '@sabia/protos/sabia/api/v1/call_stream';
import { Batch } from './batch';
import { rpcStream } from './codec';
import { metadataKeys } from '../metadata-keys';
import type { Cancel, ServedMethod, Serving } from '../server/serving';
import { bareStatus } from '../status';
import type { GrpcStatus } from '../status';
import { sizeOfAnswer } from './streamed-answer';

export interface StreamServing {
  /** Asks every client to take its new calls elsewhere. Resolves when the last stream has ended, with its last answer. */
  leave(): Promise<void>;
  /** Waits for nothing any more. */
  end(): void;
}

type Stream = ServerDuplexStream<OpenCallStreamRequest, OpenCallStreamResponse>;

/** A connection that has come of age waits so long for a stream that was opened last, and for its last answers. */
const OLDEST_STREAM_MS = 24_000;
const SHARE_OF_CONNECTION_AGE = 0.8;
/** setTimeout() takes no more. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const nothing = Buffer.alloc(0);

/** Serves RPCs of every method of this server, many over one stream. */
export function serveStreams(
  server: Server,
  serving: Serving,
  methods: ReadonlyMap<string, ServedMethod>,
  maxConnectionAgeMs: number,
): StreamServing {
  /** Each with how to take leave of it. */
  const streams = new Map<Stream, () => void>();
  let allEnded: (() => void) | undefined;
  let leaving = false;

  function open(stream: Stream): void {
    const running = new Map<number, Cancel>();
    const answers = new Batch<StreamedAnswer>((batch) => stream.write({ answers: batch, leaving: false }));
    const add = (answer: StreamedAnswer): void => answers.add(answer, sizeOfAnswer(answer));
    const leave = (): void => {
      stream.write({ answers: answers.take(), leaving: true });
      clearTimeout(ofAge);
    };
    const ofAge = setTimeout(leave, Math.min(maxConnectionAgeMs * SHARE_OF_CONNECTION_AGE, OLDEST_STREAM_MS)).unref();

    function take(call: StreamedCall): void {
      const served = methods.get(call.path);
      if (served === undefined) {
        add(answerOf(call.id, bareStatus(status.UNIMPLEMENTED)));
        return;
      }
      const timer = setTimeout(
        () => running.get(call.id)?.(status.DEADLINE_EXCEEDED, 'the deadline has passed'),
        Math.min(call.timeoutMs, LONGEST_TIMEOUT_MS),
      );
      let replied = false;
      const reply = (answer: StreamedAnswer): void => {
        replied = true;
        clearTimeout(timer);
        running.delete(call.id);
        add(answer);
      };
      const cancel = serving.serve(
        { served, request: call.message, headers: call, deadline: new Date(Date.now() + call.timeoutMs) },
        {
          answered: (message, replayed) => reply({ ...answerOf(call.id), message, replayed }),
          failed: (failure) => reply(answerOf(call.id, failure)),
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
      streams.delete(stream);
      if (streams.size === 0) allEnded?.();
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
    streams.set(stream, leave);
    // Tells the client that there is somebody at the other end.
    stream.sendMetadata(new Metadata());
    if (leaving) leave();
  }

  server.register(rpcStream.path, open, rpcStream.responseSerialize, rpcStream.requestDeserialize, 'bidi');
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

function answerOf(id: number, failure?: GrpcStatus): StreamedAnswer {
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

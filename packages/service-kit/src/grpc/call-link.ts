import { status } from '@grpc/grpc-js';
import type { Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import type {
  OpenCallStreamRequest,
  OpenCallStreamResponse,
  StreamedAnswer,
  StreamedCall,
} from '@sabia/protos/sabia/api/v1/call_stream';
import { Batch } from './batch';
import { callStream } from './call-stream';

export type LinkedCall = Omit<StreamedCall, 'id'>;

export type LinkedAnswer = Omit<StreamedAnswer, 'id'> & {
  /** Not the server's: the link broke. Then whether the server may have heard of the call. */
  broken?: 'unsent' | 'sent';
};

export interface LinkEvents {
  opened(link: CallLink): void;
  /** No more calls over this one. With the code of its end if it never opened. */
  closed(link: CallLink, code?: status): void;
}

const OPENING_MS = 5_000;
const nothing = Buffer.alloc(0);
const failure = (code: status, details: string): LinkedAnswer => ({
  message: nothing,
  code,
  details,
  statusDetails: nothing,
  replayed: false,
});

/** One stream to one replica, and the calls that wait for its answers. */
export class CallLink {
  readonly #stream: ClientDuplexStream<OpenCallStreamRequest, OpenCallStreamResponse>;
  readonly #waiting = new Map<number, (answer: LinkedAnswer) => void>();
  readonly #calls: Batch<StreamedCall>;
  readonly #events: LinkEvents;
  #state: 'opening' | 'open' | 'leaving' | 'closed' = 'opening';
  #nextId = 1;

  constructor(client: Client, events: LinkEvents) {
    const { path, requestSerialize, responseDeserialize } = callStream;
    this.#events = events;
    this.#stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.#calls = new Batch((calls) => this.#stream.write({ calls, cancelledIds: [] }));
    const patience = setTimeout(() => this.#stream.cancel(), OPENING_MS).unref();
    this.#stream.on('metadata', () => {
      clearTimeout(patience);
      if (this.#state === 'opening') {
        this.#state = 'open';
        events.opened(this);
      }
    });
    this.#stream.on('data', (response: OpenCallStreamResponse) => this.#take(response));
    // What there is to know comes with the status.
    this.#stream.on('error', () => undefined);
    this.#stream.on('status', ({ code }: StatusObject) => {
      clearTimeout(patience);
      this.#break(code);
    });
  }

  get peer(): string {
    return this.#stream.getPeer();
  }

  /** How many calls wait for their answer. */
  get load(): number {
    return this.#waiting.size;
  }

  /** `answered` is called once. The function that is returned cancels the call. */
  send(call: LinkedCall, answered: (answer: LinkedAnswer) => void): () => void {
    const id = this.#nextId;
    this.#nextId += 1;
    const timer = setTimeout(
      () => this.#settle(id, failure(status.DEADLINE_EXCEEDED, 'Deadline exceeded')),
      call.timeoutMs,
    );
    this.#waiting.set(id, (answer) => {
      clearTimeout(timer);
      answered(answer);
    });
    this.#calls.add({ id, ...call }, call.message.length);
    return () => {
      if (this.#waiting.has(id)) {
        this.#calls.flush();
        this.#stream.write({ calls: [], cancelledIds: [id] });
        this.#settle(id, failure(status.CANCELLED, 'the call was cancelled'));
      }
    };
  }

  /** Takes no more calls, and ends when those under way are answered. */
  leave(): void {
    if (this.#state === 'open' || this.#state === 'opening') {
      this.#state = 'leaving';
      this.#events.closed(this);
      this.#endWhenIdle();
    }
  }

  #take({ answers, leaving }: OpenCallStreamResponse): void {
    for (const answer of answers) this.#settle(answer.id, answer);
    if (leaving) this.leave();
  }

  #settle(id: number, answer: LinkedAnswer): void {
    const answered = this.#waiting.get(id);
    if (answered !== undefined) {
      this.#waiting.delete(id);
      answered(answer);
      this.#endWhenIdle();
    }
  }

  #endWhenIdle(): void {
    if (this.#state === 'leaving' && this.#waiting.size === 0) {
      this.#calls.flush();
      this.#stream.end();
    }
  }

  #break(code: status): void {
    const was = this.#state;
    this.#state = 'closed';
    if (was === 'opening' || was === 'open') {
      this.#events.closed(this, was === 'opening' ? code : undefined);
    }
    const unsent = new Set(this.#calls.take().map(({ id }) => id));
    for (const [id, answered] of [...this.#waiting]) {
      this.#waiting.delete(id);
      const broken = unsent.has(id) ? 'unsent' : 'sent';
      answered({ ...failure(status.UNAVAILABLE, 'the connection was lost'), broken });
    }
  }
}

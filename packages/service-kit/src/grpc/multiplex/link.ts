import { status } from '@grpc/grpc-js';
import type { Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import type { OpenCallStreamResponse, StreamedAnswer, StreamedCall } from '@sabia/protos/sabia/api/v1/call_stream';
import { Batch } from './batch';
import { rpcStream, encodeRpc } from './codec';
import type { OutgoingRequest } from './codec';

export type LinkedRpc = Omit<StreamedCall, 'id'>;

export type LinkedResponse = Omit<StreamedAnswer, 'id'> & {
  /** Not the server's: the link broke. Then whether the server may have heard of the call. */
  broken?: 'unsent' | 'sent';
};

export interface LinkEvents {
  opened(link: Link): void;
  /** No more calls over this one. With the code of its end if it never opened. */
  closed(link: Link, code?: status): void;
}

interface Waiting {
  answered: (answer: LinkedResponse) => void;
  timer: NodeJS.Timeout;
}

const OPENING_MS = 5_000;
const nothing = Buffer.alloc(0);
const failure = (code: status, details: string): LinkedResponse => ({
  message: nothing,
  code,
  details,
  statusDetails: nothing,
  replayed: false,
});

/** One stream to one replica, and the calls that wait for its answers. */
export class Link {
  readonly #stream: ClientDuplexStream<OutgoingRequest, OpenCallStreamResponse>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #calls: Batch<Uint8Array>;
  readonly #events: LinkEvents;
  #state: 'opening' | 'open' | 'leaving' | 'closed' = 'opening';
  #nextId = 1;
  /** Of the calls up to this one the server may have heard. */
  #lastSentId = 0;
  /** The last call that was made when the server was last heard. */
  #heardUpTo = 0;

  constructor(client: Client, events: LinkEvents) {
    const { path, requestSerialize, responseDeserialize } = rpcStream;
    this.#events = events;
    this.#stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.#calls = new Batch((calls) => {
      this.#lastSentId = this.#nextId - 1;
      this.#stream.write({ calls, cancelledIds: [] });
    });
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

  /** `answered` is called once. The function that is returned cancels the call. Throws when the call cannot be encoded. */
  send(call: LinkedRpc, answered: (answer: LinkedResponse) => void): () => void {
    const id = this.#nextId;
    const encoded = encodeRpc({ id, ...call });
    this.#nextId += 1;
    this.#waiting.set(id, { answered, timer: setTimeout(() => this.#giveUp(id), call.timeoutMs) });
    this.#calls.add(encoded, encoded.length);
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
    this.#heardUpTo = this.#nextId - 1;
    for (const answer of answers) this.#settle(answer.id, answer);
    if (leaving) this.leave();
  }

  #giveUp(id: number): void {
    this.#settle(id, failure(status.DEADLINE_EXCEEDED, 'Deadline exceeded'));
    // Not a word since the call was made: whatever is at the other end, the next ones had better go elsewhere.
    if (this.#heardUpTo < id) this.leave();
  }

  #settle(id: number, answer: LinkedResponse): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      clearTimeout(waiting.timer);
      this.#waiting.delete(id);
      waiting.answered(answer);
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
    this.#calls.take();
    for (const id of [...this.#waiting.keys()]) {
      const broken = id > this.#lastSentId ? 'unsent' : 'sent';
      this.#settle(id, { ...failure(status.UNAVAILABLE, 'the connection was lost'), broken });
    }
  }
}

import { status } from '@grpc/grpc-js';
import type { Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { RpcStreamServiceService } from '@sabia/protos/sabia/api/v1/rpc_stream';
import type {
  OpenRpcStreamRequest,
  OpenRpcStreamResponse,
  StreamedResponse,
  StreamedRpc,
} from '@sabia/protos/sabia/api/v1/rpc_stream';

export type LinkResponse = Omit<StreamedResponse, 'id'> & {
  /** Set when the stream broke before the server answered: whether the RPC may have reached the server. */
  broken?: 'unsent' | 'sent';
};

export interface LinkEvents {
  opened(link: Link): void;
  /** The link takes no more RPCs. `code` is the status of a stream that never opened. */
  closed(link: Link, code?: status): void;
}

interface PendingRpc {
  done: (response: LinkResponse) => void;
  timer: NodeJS.Timeout;
}

const OPENING_MS = 5_000;
/** A generous estimate of the headers of an RPC or a response, so that many small ones do not grow into a batch that gRPC refuses. */
export const HEADER_BYTES = 1024;
const noBytes = Buffer.alloc(0);
const failure = (code: status, details: string): LinkResponse => ({
  message: noBytes,
  code,
  details,
  statusDetails: noBytes,
  replayed: false,
});

/** The client's end of one stream to one replica, and the RPCs that wait for responses on it. */
export class Link {
  readonly #stream: ClientDuplexStream<OpenRpcStreamRequest, OpenRpcStreamResponse>;
  readonly #pending = new Map<number, PendingRpc>();
  readonly #rpcs: Batch<StreamedRpc>;
  readonly #events: LinkEvents;
  #state: 'opening' | 'open' | 'leaving' | 'closed' = 'opening';
  #nextId = 1;
  /** RPCs up to this one may have reached the server. */
  #lastSentId = 0;
  /** The latest RPC that existed when the server last sent anything. */
  #lastIdBeforeMessage = 0;

  constructor(client: Client, events: LinkEvents) {
    const { path, requestSerialize, responseDeserialize } = RpcStreamServiceService.openRpcStream;
    this.#events = events;
    this.#stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.#rpcs = new Batch((rpcs) => {
      this.#lastSentId = this.#nextId - 1;
      this.#stream.write({ rpcs, cancelledIds: [] });
    });
    const openingTimer = setTimeout(() => this.#stream.cancel(), OPENING_MS).unref();
    this.#stream.on('metadata', () => {
      clearTimeout(openingTimer);
      if (this.#state === 'opening') {
        this.#state = 'open';
        events.opened(this);
      }
    });
    this.#stream.on('data', (response: OpenRpcStreamResponse) => this.#receive(response));
    // The status event reports every failure.
    this.#stream.on('error', () => undefined);
    this.#stream.on('status', ({ code }: StatusObject) => {
      clearTimeout(openingTimer);
      this.#break(code);
    });
  }

  get peer(): string {
    return this.#stream.getPeer();
  }

  /** Calls `done` once. The returned function cancels the RPC. */
  send(rpc: Omit<StreamedRpc, 'id'>, done: (response: LinkResponse) => void): () => void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#pending.set(id, { done, timer: setTimeout(() => this.#timeOut(id), rpc.timeoutMs) });
    this.#rpcs.add({ id, ...rpc }, rpc.message.length + HEADER_BYTES);
    return () => {
      if (this.#pending.has(id)) {
        this.#rpcs.flush();
        this.#stream.write({ rpcs: [], cancelledIds: [id] });
        this.#settle(id, failure(status.CANCELLED, 'the RPC was cancelled'));
      }
    };
  }

  /** Takes no more RPCs, and ends the stream when those under way are answered. */
  leave(): void {
    if (this.#state === 'open' || this.#state === 'opening') {
      this.#state = 'leaving';
      this.#events.closed(this);
      this.#endWhenIdle();
    }
  }

  #receive({ responses, leaving }: OpenRpcStreamResponse): void {
    this.#lastIdBeforeMessage = this.#nextId - 1;
    for (const response of responses) this.#settle(response.id, response);
    if (leaving) this.leave();
  }

  #timeOut(id: number): void {
    this.#settle(id, failure(status.DEADLINE_EXCEEDED, 'Deadline exceeded'));
    // The server has sent nothing since this RPC was made: it may be gone without closing the connection.
    if (this.#lastIdBeforeMessage < id) this.leave();
  }

  #settle(id: number, response: LinkResponse): void {
    const pending = this.#pending.get(id);
    if (pending !== undefined) {
      clearTimeout(pending.timer);
      this.#pending.delete(id);
      pending.done(response);
      this.#endWhenIdle();
    }
  }

  #endWhenIdle(): void {
    if (this.#state === 'leaving' && this.#pending.size === 0) {
      this.#rpcs.flush();
      this.#stream.end();
    }
  }

  #break(code: status): void {
    const before = this.#state;
    this.#state = 'closed';
    if (before === 'opening' || before === 'open') {
      this.#events.closed(this, before === 'opening' ? code : undefined);
    }
    this.#rpcs.take();
    for (const id of [...this.#pending.keys()]) {
      const broken = id > this.#lastSentId ? 'unsent' : 'sent';
      this.#settle(id, { ...failure(status.UNAVAILABLE, 'the connection was lost'), broken });
    }
  }
}

/** A batch that reaches this size is sent without waiting for more; it stays far below the largest message that gRPC accepts. */
const LARGE_BYTES = 256 * 1024;

/** Collects the items of one turn of the event loop and delivers them together at its end, or as soon as they are large. */
export class Batch<Item> {
  #items: Item[] = [];
  #bytes = 0;
  #scheduled = false;
  readonly #deliver: (items: Item[]) => void;

  constructor(deliver: (items: Item[]) => void) {
    this.#deliver = deliver;
  }

  add(item: Item, bytes: number): void {
    this.#items.push(item);
    this.#bytes += bytes;
    if (this.#bytes >= LARGE_BYTES) {
      this.flush();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
  }

  flush(): void {
    const items = this.take();
    if (items.length > 0) {
      this.#deliver(items);
    }
  }

  /** Removes and returns the items that have not been delivered. */
  take(): Item[] {
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    return items;
  }
}

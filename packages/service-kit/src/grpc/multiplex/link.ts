import { status } from '@grpc/grpc-js';
import type { Client, ClientDuplexStream, StatusObject } from '@grpc/grpc-js';
import { RpcStreamServiceService, StreamedRpc } from '@sabia/protos/sabia/api/v1/rpc_stream';
import type {
  OpenRpcStreamRequest,
  OpenRpcStreamResponse,
  StreamedResponse,
} from '@sabia/protos/sabia/api/v1/rpc_stream';

export type LinkResponse = Omit<StreamedResponse, 'id'> & {
  /** Set when the stream broke before the server answered: whether the RPC may have reached the server. */
  broken?: 'unsent' | 'sent';
};

export interface LinkEvents {
  opened(link: Link): void;
  /** The link takes no more RPCs. `code` is the status of a stream that never opened. */
  closed(link: Link, code?: status): void;
  /** The server gives no sign of life, though RPCs wait for it. Called again and again until it does. */
  silent(link: Link): void;
}

interface PendingRpc {
  done: (response: LinkResponse) => void;
  timer: NodeJS.Timeout;
}

const OPENING_MS = 5_000;
/** How often a link with waiting RPCs looks whether its server has said anything, and after how many such rounds it counts as silent. */
const LISTENING_MS = 800;
const SILENT_ROUNDS = 3;
/** A method that no server has. That it answers so is a sign of life. */
const PING: StreamedRpc = StreamedRpc.fromPartial({ path: '/sabia.api.v1.RpcStreamService/Ping', timeoutMs: 1_000 });
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
  #listening: NodeJS.Timeout | undefined;
  /** Rounds since the server last sent anything. */
  #silentRounds = 0;

  constructor(client: Client, events: LinkEvents) {
    const { path, requestSerialize, responseDeserialize } = RpcStreamServiceService.openRpcStream;
    this.#events = events;
    this.#stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.#rpcs = new Batch((rpcs) => {
      this.#lastSentId = this.#nextId - 1;
      this.#stream.write({ rpcs, cancelledIds: [] });
    });
    const openingTimer = setTimeout(() => {
      events.silent(this);
      this.#stream.cancel();
    }, OPENING_MS).unref();
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

  /** Whether the server lets RPCs wait and does not answer a ping either. */
  get isSilent(): boolean {
    return this.#silentRounds >= SILENT_ROUNDS;
  }

  /** Calls `done` once. The returned function cancels the RPC. */
  send(rpc: Omit<StreamedRpc, 'id'>, done: (response: LinkResponse) => void): () => void {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#pending.set(id, { done, timer: setTimeout(() => this.#timeOut(id), rpc.timeoutMs) });
    this.#rpcs.add({ id, ...rpc }, rpc.message.length + HEADER_BYTES);
    if (this.#listening === undefined) {
      this.#silentRounds = 0;
      this.#listening = this.#listen();
    }
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
    this.#silentRounds = 0;
    for (const response of responses) this.#settle(response.id, response);
    if (leaving) this.leave();
  }

  /** While RPCs wait: a server that has said nothing for a round is pinged, one that says nothing for several is reported. */
  #listen(): NodeJS.Timeout | undefined {
    if (this.#pending.size === 0 || this.#state === 'closed') return undefined;
    const dueAt = performance.now() + LISTENING_MS;
    const round = (): void => {
      if (this.#pending.size === 0 || this.#state === 'closed') {
        this.#listening = undefined;
        return;
      }
      // A round that comes late was delayed by this process: it has not listened either.
      if (performance.now() < dueAt + LISTENING_MS) this.#silentRounds += 1;
      if (this.#silentRounds === 1) this.#stream.write({ rpcs: [PING], cancelledIds: [] });
      if (this.isSilent) this.#events.silent(this);
      this.#listening = this.#listen();
    };
    return setTimeout(round, LISTENING_MS).unref();
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

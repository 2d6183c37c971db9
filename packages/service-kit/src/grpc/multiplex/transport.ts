import { status } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { leaveScope } from '../../request-scope';
import type { OutgoingRpc, RpcTransport } from '../client/unary';
import { grpcError } from '../status';
import { Link } from './link';
import type { LinkResponse } from './link';

/** Larger requests are rare, and would delay the others on the stream. */
const LARGEST_REQUEST_BYTES = 256 * 1024;
/** The longest delay that setTimeout() accepts. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
/** The pause after a search that found no further replica. Short at first, since other replicas may just be starting. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** The pause after a replica has answered that it offers no streams; until then all replicas get plain RPCs. */
const WITHOUT_STREAMS_MS = 30_000;
const noMessage = Buffer.alloc(0);

export interface MultiplexOptions {
  plain: RpcTransport;
  isIdempotent: (path: string) => boolean;
  /** Breaks the connections to a replica. */
  cut: (peer: string) => void;
}

/** Sends RPCs over streams that they share, and over the plain transport whenever there is no stream for them. */
export function createMultiplexTransport(client: Client, { plain, isIdempotent, cut }: MultiplexOptions): RpcTransport {
  const links = createLinks(client, cut);

  /** Sent again it is a plain RPC, which the service config may then retry several times. */
  const maySendAgain = ({ code, broken }: LinkResponse, { path, repeatable }: OutgoingRpc): boolean =>
    broken === 'unsent' || (code === (status.UNAVAILABLE as number) && (repeatable || isIdempotent(path)));

  return {
    send(rpc, done) {
      const { path, message, headers, deadline, onReplayed } = rpc;
      const link = message.length > LARGEST_REQUEST_BYTES ? undefined : links.pick();
      const timeoutMs = Math.min(Math.ceil(deadline - Date.now()), LONGEST_TIMEOUT_MS);
      if (link === undefined || timeoutMs < 1) {
        return plain.send(rpc, done);
      }
      let cancelled = false;
      let cancel = link.send({ path, message, timeoutMs, ...headers }, (response) => {
        if (!cancelled && maySendAgain(response, rpc)) {
          cancel = plain.send(rpc, done);
        } else if (response.code === (status.OK as number)) {
          if (response.replayed) onReplayed?.();
          done(null, response.message);
        } else {
          done(grpcError(response.code, response.details, response.statusDetails), noMessage);
        }
      });
      return () => {
        cancelled = true;
        cancel();
      };
    },
    close() {
      links.close();
      plain.close();
    },
  };
}

interface Links {
  /** The open links in turn; undefined while there is none. */
  pick(): Link | undefined;
  close(): void;
}

/**
 * Keeps one link to each replica. gRPC's own balancing decides which replica a stream reaches, so links are opened one after the
 * other until several have reached replicas that already have one. The search is repeated after a pause, for replicas that are new.
 */
function createLinks(client: Client, cut: (peer: string) => void): Links {
  const links = new Map<string, Link>();
  let opening: Link | undefined;
  let duplicates = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let pausedUntil = 0;
  let turn = 0;
  let closed = false;

  function search(): void {
    if (opening === undefined && !closed && performance.now() >= pausedUntil) {
      // The link outlives the request that happens to need it.
      opening = leaveScope(() => new Link(client, { opened, closed: removed, silent }));
    }
  }

  function opened(link: Link): void {
    opening = undefined;
    if (links.has(link.peer)) {
      duplicates += 1;
      link.leave();
      if (duplicates > links.size) pause();
    } else {
      links.set(link.peer, link);
      endPause();
    }
    search();
  }

  function removed(link: Link, code?: status): void {
    if (opening === link) {
      opening = undefined;
      pause();
    }
    for (const [peer, held] of links) {
      if (held === link) {
        links.delete(peer);
        endPause();
      }
    }
    if (code === status.UNIMPLEMENTED) {
      leaveAll();
      pausedUntil = performance.now() + WITHOUT_STREAMS_MS;
    }
  }

  /** A replica that says nothing is left if there is another one. If it is the only one, RPCs can only wait for it. */
  function silent(link: Link): void {
    if ([...links.values()].some((other) => other !== link && !other.isSilent)) cut(link.peer);
  }

  function pause(): void {
    duplicates = 0;
    pausedUntil = performance.now() + pauseMs;
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  function endPause(): void {
    duplicates = 0;
    pauseMs = FIRST_PAUSE_MS;
    pausedUntil = 0;
  }

  function leaveAll(): void {
    for (const link of [...links.values()]) link.leave();
  }

  return {
    pick() {
      search();
      turn = (turn + 1) % Math.max(1, links.size);
      let place = 0;
      for (const link of links.values()) {
        if (place === turn) return link;
        place += 1;
      }
      return undefined;
    },
    close() {
      closed = true;
      leaveAll();
      opening?.leave();
    },
  };
}

import { status } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { leaveScope } from '../../request-scope';
import { Link } from './link';

export interface Links {
  /** A link to each replica in turn; none while there is none open. */
  pick(): Link | undefined;
  close(): void;
}

/** After a search that found no further replica, or nobody at all: at first a moment, since others may just be starting. */
const FIRST_REST_MS = 100;
const LONGEST_REST_MS = 5_000;
/** While some replicas are of an older release, which knows no streams, calls go to all of them one by one. */
const WITHOUT_STREAMS_MS = 30_000;

/**
 * One link to each replica. gRPC's own balancing decides where a stream ends up, so links are opened one after the other until several
 * have led to replicas that already have one; the same again some time later, for those that were added since.
 */
export function createLinks(client: Client): Links {
  const links = new Map<string, Link>();
  let opening: Link | undefined;
  let inVain = 0;
  let restMs = FIRST_REST_MS;
  let restingUntil = 0;
  let turn = 0;
  let closed = false;

  function search(): void {
    if (opening === undefined && !closed && performance.now() >= restingUntil) {
      // It outlives the request that happens to need it.
      opening = leaveScope(() => new Link(client, { opened, closed: lost }));
    }
  }

  function opened(link: Link): void {
    opening = undefined;
    if (links.has(link.peer)) {
      inVain += 1;
      link.leave();
      if (inVain > links.size) rest();
    } else {
      links.set(link.peer, link);
      hurry();
    }
    search();
  }

  function lost(link: Link, code?: status): void {
    if (opening === link) {
      opening = undefined;
      rest();
    }
    for (const [peer, held] of links) {
      if (held === link) {
        links.delete(peer);
        hurry();
      }
    }
    if (code === status.UNIMPLEMENTED) {
      leaveAll();
      restingUntil = performance.now() + WITHOUT_STREAMS_MS;
    }
  }

  function rest(): void {
    inVain = 0;
    restingUntil = performance.now() + restMs;
    restMs = Math.min(restMs * 2, LONGEST_REST_MS);
  }

  function hurry(): void {
    inVain = 0;
    restMs = FIRST_REST_MS;
    restingUntil = 0;
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

import { status } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { leaveScope } from '../../request-scope';
import { Link } from './link';

export interface Links {
  /** The open links in turn; undefined while there is none. */
  pick(): Link | undefined;
  close(): void;
}

/** The pause after a search that found no further replica. Short at first, since other replicas may just be starting. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** The pause after a replica has answered that it offers no streams; until then all replicas get plain RPCs. */
const WITHOUT_STREAMS_MS = 30_000;

/**
 * Keeps one link to each replica. gRPC's own balancing decides which replica a stream reaches, so links are opened one after the
 * other until several have reached replicas that already have one. The search is repeated after a pause, for replicas that are new.
 */
export function createLinks(client: Client): Links {
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
      opening = leaveScope(() => new Link(client, { opened, closed: removed }));
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

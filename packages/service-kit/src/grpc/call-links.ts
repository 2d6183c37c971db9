import { status } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { leaveScope } from '../request-scope';
import { CallLink } from './call-link';

export interface CallLinks {
  /** The link to the replica with the least to do; none while there is none open. */
  pick(): CallLink | undefined;
  close(): void;
}

/** After a search that found no further replica, or nobody at all. */
const REST_MS = 5_000;
const RETRY_MS = 100;
/** Of an older release, which calls go to one by one. */
const WITHOUT_STREAMS_MS = 60_000;

/**
 * One link to each replica. gRPC's own balancing decides where a stream ends up, so links are opened one after the other until as many as
 * there are have led to a replica that already has one; the same again some time later, for those that were added since.
 */
export function createCallLinks(client: Client, now: () => number = () => performance.now()): CallLinks {
  const links = new Map<string, CallLink>();
  let opening: CallLink | undefined;
  let restingUntil = 0;
  let inVain = 0;
  let turn = 0;
  let closed = false;

  function search(): void {
    if (opening === undefined && !closed && now() >= restingUntil) {
      // It outlives the request that happens to need it.
      opening = leaveScope(() => new CallLink(client, { opened, closed: lost }));
    }
  }

  function opened(link: CallLink): void {
    opening = undefined;
    if (links.has(link.peer)) {
      inVain += 1;
      link.leave();
      if (inVain > links.size) rest(REST_MS);
    } else {
      inVain = 0;
      links.set(link.peer, link);
    }
    search();
  }

  function lost(link: CallLink, code?: status): void {
    if (opening === link) {
      opening = undefined;
      rest(code === status.UNIMPLEMENTED ? WITHOUT_STREAMS_MS : RETRY_MS);
    }
    for (const [peer, held] of links) {
      if (held === link) {
        links.delete(peer);
        // Its place is to be filled with the next call.
        rest(0);
      }
    }
  }

  function rest(ms: number): void {
    inVain = 0;
    restingUntil = now() + ms;
  }

  return {
    pick() {
      search();
      let best: CallLink | undefined;
      let place = 0;
      turn += 1;
      for (const link of links.values()) {
        // Among those with equally little to do, each has its turn.
        place = (place + 1) % links.size;
        if (best === undefined || link.load < best.load || (link.load === best.load && turn % links.size === place)) {
          best = link;
        }
      }
      return best;
    },
    close() {
      closed = true;
      for (const link of [...links.values()]) link.leave();
      opening?.leave();
    },
  };
}

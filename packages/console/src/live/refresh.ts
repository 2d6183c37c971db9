import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { LiveEvent } from './live-events';

/** A call alone is half a dozen events, and a busy account has many calls: what they make stale is asked for once a second. */
const GATHER_MS = 1_000;

/** The queries that an event makes stale. Every key begins with the room's name. */
export function staleBy({ type, callId }: LiveEvent): QueryKey[] {
  const [noun] = type.split('.');
  switch (noun) {
    case 'call':
      return [
        ['calls', 'list'],
        ['calls', 'live'],
        ...(callId === undefined ? [] : [['calls', 'one', callId]]),
        ...(['call.created', 'call.ended', 'call.rated'].includes(type) ? [['overview']] : []),
        ...(type === 'call.rated' ? [['credit']] : []),
      ];
    case 'extension':
      return [['extensions']];
    case 'balance':
    case 'charge':
      return [['credit']];
    case 'delivery':
      return [['webhooks'], ...(callId === undefined ? [] : [['calls', 'one', callId, 'deliveries']])];
    default:
      return [];
  }
}

export interface Refresher {
  notice(event: LiveEvent): void;
  stop(): void;
}

/** Asks again for what events have made stale: at once for the first event, then gathered, so that no limit is met. */
export function createRefresher(queries: QueryClient): Refresher {
  const stale = new Map<string, QueryKey>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    timer = undefined;
    if (stale.size === 0) return;
    const keys = [...stale.values()];
    stale.clear();
    // A request that is under way has been counted already; to cancel it would only ask twice.
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
    timer = setTimeout(flush, GATHER_MS);
  }

  return {
    notice(event) {
      for (const key of staleBy(event)) stale.set(JSON.stringify(key), key);
      if (timer === undefined) flush();
    },
    stop: () => clearTimeout(timer),
  };
}

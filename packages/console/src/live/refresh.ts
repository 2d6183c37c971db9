import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { LiveEvent } from './event-stream';

/** A call alone is half a dozen events, and a busy account has many calls: what they make stale is asked for once a second. */
const GATHER_MS = 1_000;
/**
 * Whether a phone is registered is told to the console and to the list of extensions at the same time: what is asked for at once may
 * have been answered before, so it is asked for once more.
 */
const NOTED_MS = 3_000;

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
      return [
        ['webhooks'],
        ...(callId === undefined ? [] : ['deliveries', 'timeline'].map((part) => ['calls', 'one', callId, part])),
      ];
    default:
      return [];
  }
}

export interface Refresher {
  notice(event: LiveEvent): void;
  stop(): void;
}

/**
 * Asks again for what events have made stale: at once for the first event, then gathered, so that no limit is met. A key is not asked
 * for again before its answer is here, so that slow answers arrive however many events follow.
 */
export function createRefresher(queries: QueryClient): Refresher {
  const stale = new Map<string, QueryKey>();
  const underWay = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onceMore: ReturnType<typeof setTimeout> | undefined;

  function markStale(keys: QueryKey[]): void {
    for (const key of keys) stale.set(JSON.stringify(key), key);
    if (timer === undefined) flush();
  }

  function flush(): void {
    timer = undefined;
    if (stale.size === 0) return;
    for (const [name, queryKey] of [...stale].filter(([key]) => !underWay.has(key))) {
      stale.delete(name);
      underWay.add(name);
      // A request that a page has made itself is cancelled: it may have been answered before the event.
      void queries.invalidateQueries({ queryKey }).finally(() => underWay.delete(name));
    }
    timer = setTimeout(flush, GATHER_MS);
  }

  return {
    notice(event) {
      const keys = staleBy(event);
      markStale(keys);
      if (event.type.startsWith('extension.')) {
        clearTimeout(onceMore);
        onceMore = setTimeout(() => markStale(keys), NOTED_MS);
      }
    },
    stop() {
      clearTimeout(timer);
      clearTimeout(onceMore);
    },
  };
}

/** What GET /api/v1/events tells; see docs/api.md. */
export interface LiveEvent {
  type: string;
  at: string;
  callId?: string;
  ramal?: string;
  chargeId?: number;
  integrationId?: number;
  deliveryId?: string;
  [field: string]: unknown;
}

type Listener = (event: LiveEvent) => void;

export interface LiveEvents {
  subscribe(listener: Listener): () => void;
  /** For useSyncExternalStore: whether events arrive right now. */
  onState(listener: () => void): () => void;
  isConnected(): boolean;
  close(): void;
}

export interface LiveEventsOptions {
  types: readonly string[];
  /** Events are missing: what was loaded before may be stale. */
  onReset: () => void;
  /** The gateway refused the stream, or could not be reached. */
  onRefused: () => void;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15_000;

/** One stream for the whole page. A browser resumes it with Last-Event-ID by itself; where it gives up, it is opened again. */
export function openLiveEvents({ types, onReset, onRefused }: LiveEventsOptions): LiveEvents {
  const listeners = new Set<Listener>();
  const stateListeners = new Set<() => void>();
  let source: EventSource | undefined;
  let connected = false;
  let lastEventId = '';
  let reopened = false;
  let delayMs = FIRST_DELAY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function setConnected(value: boolean): void {
    if (connected === value) return;
    connected = value;
    stateListeners.forEach((listener) => listener());
  }

  function receive(event: MessageEvent<string>): void {
    lastEventId = event.lastEventId || lastEventId;
    const told = JSON.parse(event.data) as LiveEvent;
    listeners.forEach((listener) => listener(told));
  }

  function open(): void {
    const query = lastEventId === '' ? '' : `?lastEventId=${encodeURIComponent(lastEventId)}`;
    source = new EventSource(`/api/v1/events${query}`);
    const missed = reopened && lastEventId === '';
    reopened = true;
    source.addEventListener('open', () => {
      delayMs = FIRST_DELAY_MS;
      // Without an id to resume from, what happened in between is not told again.
      if (missed) onReset();
      setConnected(true);
    });
    for (const type of types) source.addEventListener(type, receive);
    source.addEventListener('reset', (event: MessageEvent) => {
      lastEventId = event.lastEventId;
      onReset();
    });
    source.addEventListener('error', () => {
      setConnected(false);
      if (source?.readyState !== EventSource.CLOSED) return;
      onRefused();
      timer = setTimeout(open, delayMs);
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    });
  }

  open();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onState(listener) {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    isConnected: () => connected,
    close() {
      clearTimeout(timer);
      source?.close();
      setConnected(false);
    },
  };
}

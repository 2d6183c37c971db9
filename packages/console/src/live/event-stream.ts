/** What GET /api/v1/events tells; see docs/guides/en/events.md. */
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

export interface EventStreamOptions {
  /** The gateway refuses the stream once the browser has the session of another user. */
  user: string;
  types: readonly string[];
  /** The event after which it goes on; empty: what happens from now on. */
  lastEventId: string;
  /** Something may have happened before it was opened, of which nothing is known here. */
  isLate: boolean;
  onEvent: (event: LiveEvent, id: string) => void;
  /** Events are missing: what was loaded before may be stale. */
  onReset: (id: string) => void;
  onConnected: (connected: boolean) => void;
  /** The gateway has ended or refused the stream, or cannot be reached. */
  onInterrupted: () => void;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15_000;

/** GET /api/v1/events. A browser resumes it with Last-Event-ID by itself; where it gives up, it is opened again. The result ends it. */
export function openEventStream(options: EventStreamOptions): () => void {
  const { user, types, onEvent, onReset, onConnected, onInterrupted } = options;
  let { lastEventId, isLate } = options;
  let source: EventSource | undefined;
  let delayMs = FIRST_DELAY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function receive(event: MessageEvent<string>): void {
    lastEventId = event.lastEventId || lastEventId;
    onEvent(JSON.parse(event.data) as LiveEvent, lastEventId);
  }

  function open(): void {
    const query = new URLSearchParams({ user, ...(lastEventId !== '' && { lastEventId }) });
    source = new EventSource(`/api/v1/events?${query}`);
    const missed = isLate && lastEventId === '';
    isLate = true;
    source.addEventListener('open', () => {
      delayMs = FIRST_DELAY_MS;
      // Without an id to resume from, what happened in between is not told again.
      if (missed) onReset('');
      onConnected(true);
    });
    for (const type of types) source.addEventListener(type, receive);
    source.addEventListener('reset', (event: MessageEvent) => {
      lastEventId = event.lastEventId;
      onReset(lastEventId);
    });
    source.addEventListener('error', () => {
      onConnected(false);
      onInterrupted();
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, delayMs);
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    });
  }

  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

import { enterTabLock, tabsCanShare } from '../tabs/tab-lock';
import { openEventStream } from './event-stream';
import type { LiveEvent } from './event-stream';

type Listener = (event: LiveEvent) => void;

export interface LiveEvents {
  subscribe(listener: Listener): () => void;
  /** For useSyncExternalStore: whether events arrive right now. */
  onState(listener: () => void): () => void;
  isConnected(): boolean;
  close(): void;
}

export interface LiveEventsOptions {
  /** Tabs of the same user share a stream; those of another one, after a login in between, know nothing of it. */
  user: string;
  types: readonly string[];
  /** Events are missing: what was loaded before may be stale. */
  onReset: () => void;
  /** The gateway has ended or refused the stream, or cannot be reached. */
  onInterrupted: () => void;
}

/** What the tabs of a user tell each other. All but the question comes from the tab that has the stream. */
type Message =
  | { kind: 'question' }
  | { kind: 'state'; connected: boolean; id: string }
  | { kind: 'event'; event: LiveEvent; id: string }
  | { kind: 'reset'; id: string }
  | { kind: 'interrupted' };

const QUESTION_MS = 30_000;
/** A tab that has not answered by then was stopped by its browser, as phones do with tabs that are not looked at. */
const ANSWER_MS = 10_000;

/**
 * One stream for all tabs of a browser, which has six connections to a server. The tab with the lock opens it and passes on what it tells;
 * when that tab is closed the next one goes on after the last event. Without locks every tab has a stream.
 */
export function openLiveEvents({ user, types, onReset, onInterrupted }: LiveEventsOptions): LiveEvents {
  const name = `sabia.live.${user}`;
  const channel = tabsCanShare() ? new BroadcastChannel(name) : undefined;
  const listeners = new Set<Listener>();
  const stateListeners = new Set<() => void>();
  let endStream: (() => void) | undefined;
  let connected = false;
  let lastEventId = '';
  let hasFollowed = false;
  let answerDue: ReturnType<typeof setTimeout> | undefined;

  const tell = (message: Message): void => channel?.postMessage(message);
  const tellState = (): void => tell({ kind: 'state', connected, id: lastEventId });

  function setConnected(value: boolean): void {
    if (connected === value) return;
    connected = value;
    stateListeners.forEach((listener) => listener());
  }

  function hear(event: LiveEvent, id: string): void {
    lastEventId = id;
    listeners.forEach((listener) => listener(event));
  }

  function reset(id: string): void {
    lastEventId = id;
    onReset();
  }

  function lead(): void {
    clearTimeout(answerDue);
    endStream = openEventStream({
      user,
      types,
      lastEventId,
      isLate: hasFollowed,
      onEvent(event, id) {
        tell({ kind: 'event', event, id });
        hear(event, id);
      },
      onReset(id) {
        tell({ kind: 'reset', id });
        reset(id);
      },
      onConnected(value) {
        setConnected(value);
        tellState();
      },
      onInterrupted() {
        tell({ kind: 'interrupted' });
        onInterrupted();
      },
    });
  }

  function follow(): void {
    endStream = void endStream?.();
    hasFollowed = true;
    ask();
  }

  function ask(): void {
    if (endStream !== undefined || document.visibilityState !== 'visible') return;
    tell({ kind: 'question' });
    clearTimeout(answerDue);
    answerDue = setTimeout(() => lock.steal(), ANSWER_MS);
  }

  function receive({ data }: MessageEvent<Message>): void {
    if (endStream !== undefined) {
      // The stream of this tab tells again whatever a former one tells late.
      if (data.kind === 'question') tellState();
      return;
    }
    if (data.kind === 'question') return;
    clearTimeout(answerDue);
    if (data.kind === 'event') hear(data.event, data.id);
    else if (data.kind === 'reset') reset(data.id);
    else if (data.kind === 'interrupted') onInterrupted();
    else {
      lastEventId = data.id;
      setConnected(data.connected);
    }
  }

  channel?.addEventListener('message', receive);
  document.addEventListener('visibilitychange', ask);
  const questions = channel && setInterval(ask, QUESTION_MS);
  const lock = enterTabLock({ name, onHeld: lead, onLost: follow });

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
      clearInterval(questions);
      clearTimeout(answerDue);
      document.removeEventListener('visibilitychange', ask);
      channel?.close();
      endStream?.();
      lock.release();
      setConnected(false);
    },
  };
}

import type { Wakeup } from '../../work/wakeup';

export interface StreamWatchOptions {
  /** Whether the stream was lost and made anew, or its consumers are others. Publishing need not have failed. */
  hasChanged: () => Promise<boolean>;
  everyMs: number;
  wakeup: Pick<Wakeup, 'poke'>;
}

export interface StreamWatch {
  /** Aborts when the stream has changed: what is published has to begin anew. */
  signal: AbortSignal;
  stop(): void;
}

export function watchStream({ hasChanged, everyMs, wakeup }: StreamWatchOptions): StreamWatch {
  const changed = new AbortController();
  const look = async (): Promise<void> => {
    if (await hasChanged()) {
      changed.abort();
      wakeup.poke();
    }
  };
  // A look that fails says nothing of the stream: NATS is away, and the relay notices by itself.
  const timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
  return { signal: changed.signal, stop: () => clearInterval(timer) };
}

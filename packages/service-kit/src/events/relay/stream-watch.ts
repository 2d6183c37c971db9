import type { Wakeup } from '../../work/wakeup';

export interface StreamWatchOptions {
  isReplaced: () => Promise<boolean>;
  everyMs: number;
  wakeup: Pick<Wakeup, 'poke'>;
}

export interface StreamWatch {
  /** Aborts when the stream was lost and made anew. Publishing need not have failed: another service may have made it. */
  signal: AbortSignal;
  stop(): void;
}

export function watchForReplacement({ isReplaced, everyMs, wakeup }: StreamWatchOptions): StreamWatch {
  const replaced = new AbortController();
  const look = async (): Promise<void> => {
    if (await isReplaced()) {
      replaced.abort();
      wakeup.poke();
    }
  };
  // A look that fails says nothing of the stream: NATS is away, and the relay notices by itself.
  const timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
  return { signal: replaced.signal, stop: () => clearInterval(timer) };
}

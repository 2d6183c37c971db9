export interface TabLockOptions {
  name: string;
  /** This tab is the phone, until `onLost`. */
  onHeld: () => void;
  /** Another tab is the phone, or has become it. */
  onLost: () => void;
}

export interface TabLock {
  /** Takes the phone from the tab that has it. */
  steal(): void;
  release(): void;
}

/**
 * Of all tabs of a browser one is the phone, because an extension has one softphone. The others wait: when that tab is closed,
 * the next one becomes the phone by itself.
 */
export function enterTabLock({ name, onHeld, onLost }: TabLockOptions): TabLock {
  const waiting = new AbortController();
  let letGo: (() => void) | undefined;
  let closed = false;

  function hold(options: LockOptions): void {
    const held = (lock: Lock | null): Promise<void> | undefined => {
      if (closed) return undefined;
      if (lock === null) {
        onLost();
        hold({ signal: waiting.signal });
        return undefined;
      }
      onHeld();
      return new Promise<void>((resolve) => (letGo = resolve));
    };
    navigator.locks.request(name, options, held).catch(() => {
      // Stolen while it was held; a request that was aborted while it waited had nothing to lose.
      if (letGo === undefined || closed) return;
      letGo = undefined;
      onLost();
      hold({ signal: waiting.signal });
    });
  }

  // Without HTTPS there are no locks, and no microphone either.
  if (navigator.locks) hold({ ifAvailable: true });
  else queueMicrotask(onHeld);

  return {
    steal: () => hold({ steal: true }),
    release() {
      closed = true;
      waiting.abort();
      letGo?.();
    },
  };
}

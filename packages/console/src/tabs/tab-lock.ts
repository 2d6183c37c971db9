export interface TabLockOptions {
  name: string;
  /** This tab has the lock, until `onLost`. */
  onHeld: () => void;
  /** Another tab has the lock, or has taken it. */
  onLost: () => void;
}

export interface TabLock {
  /** Takes the lock from the tab that has it. */
  steal(): void;
  release(): void;
}

/** Without HTTPS a browser has no locks. */
export const tabsCanShare = (): boolean => 'locks' in navigator;

/**
 * Of all tabs of a browser one has the lock. The others wait: when that tab is closed, the next one gets it by itself. Where there are no
 * locks, every tab has it.
 */
export function enterTabLock({ name, onHeld, onLost }: TabLockOptions): TabLock {
  const waiting = new AbortController();
  let letGo: (() => void) | undefined;
  let closed = false;

  function hold(options: LockOptions): void {
    let mine: (() => void) | undefined;
    const held = (lock: Lock | null): Promise<void> | undefined => {
      if (closed) return undefined;
      if (lock === null) {
        onLost();
        hold({ signal: waiting.signal });
        return undefined;
      }
      onHeld();
      return new Promise<void>((resolve) => (letGo = mine = resolve));
    };
    navigator.locks.request(name, options, held).catch(() => {
      // Stolen while it was held, by another tab; a request that was aborted while it waited had nothing to lose.
      if (mine === undefined || mine !== letGo || closed) return;
      letGo = undefined;
      onLost();
      hold({ signal: waiting.signal });
    });
  }

  if (tabsCanShare()) hold({ ifAvailable: true });
  else queueMicrotask(() => closed || onHeld());

  return {
    steal: () => hold({ steal: true }),
    release() {
      closed = true;
      waiting.abort();
      letGo?.();
    },
  };
}

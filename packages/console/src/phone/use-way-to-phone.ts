import { useEffect } from 'react';
import type { RefObject } from 'react';

/** F6 leads to the phone and back, also out of a dialog, which keeps the Tab key to itself. */
export function useWayToPhone(dock: RefObject<HTMLElement | null>, isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    let before: Element | null = null;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F6' || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const { activeElement } = document;
      // The button of the phone that was pressed may be gone, and the focus with it.
      const wasLost = before !== null && activeElement === document.body;
      if (wasLost || dock.current?.contains(activeElement)) {
        if (before instanceof HTMLElement) before.focus();
        before = null;
        return;
      }
      before = activeElement;
      const first = dock.current?.querySelector<HTMLElement>('[data-phone-first]');
      (first ?? dock.current?.querySelector('button'))?.focus();
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [dock, isNeeded]);
}

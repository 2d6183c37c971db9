import { createContext, useCallback, useContext, useMemo, useState } from 'react';
import type { ReactNode } from 'react';

/** Whether the phone at the edge of the page is open. */
export interface DockState {
  isOpen: boolean;
  setOpen: (open: boolean) => void;
  /** Opens the phone for a number: its dial pad takes the focus once it is there. */
  askForNumber: () => void;
  isNumberAsked: boolean;
  noteFocused: () => void;
}

const DockContext = createContext<DockState | undefined>(undefined);

export function DockStateProvider({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const [isNumberAsked, setNumberAsked] = useState(false);
  const setOpen = useCallback((open: boolean) => {
    setIsOpen(open);
    if (!open) setNumberAsked(false);
  }, []);
  const askForNumber = useCallback(() => {
    setIsOpen(true);
    setNumberAsked(true);
  }, []);
  const noteFocused = useCallback(() => setNumberAsked(false), []);
  const state = useMemo(
    () => ({ isOpen, setOpen, askForNumber, isNumberAsked, noteFocused }),
    [isOpen, setOpen, askForNumber, isNumberAsked, noteFocused],
  );
  return <DockContext value={state}>{children}</DockContext>;
}

export function useDockState(): DockState {
  const state = useContext(DockContext);
  if (state === undefined) throw new Error('There is no phone around this page.');
  return state;
}

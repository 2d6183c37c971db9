import { useCallback, useRef, useState } from 'react';
import type { FormEvent } from 'react';

/** Whether a form differs from how it was drawn at first: without a change there is nothing to save. */
export function useFormChange() {
  const first = useRef<string>(undefined);
  const [changed, setChanged] = useState(false);
  const ref = useCallback((form: HTMLFormElement | null) => {
    if (form !== null) first.current ??= textOf(form);
  }, []);
  const onChange = (event: FormEvent<HTMLFormElement>) => setChanged(textOf(event.currentTarget) !== first.current);
  return { changed, form: { ref, onChange } };
}

const textOf = (form: HTMLFormElement): string => JSON.stringify([...new FormData(form)]);

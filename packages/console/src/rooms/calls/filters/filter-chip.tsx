import { X } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { m } from '../../../paraglide/messages';
import { Popover } from './popover';

interface FilterChipProps {
  text: string;
  onRemove: () => void;
  /** The form that changes the filter; `close` is for when it is done. */
  children: (close: () => void) => ReactNode;
}

export function FilterChip({ text, onRemove, children }: FilterChipProps) {
  const [open, setOpen] = useState(false);
  const part = 'h-8 hover:bg-accent hover:text-on-accent';
  return (
    <span className="inline-flex max-w-full items-center overflow-hidden rounded-full bg-accent-wash text-sm text-accent">
      <Popover
        title={m.calls_filter_edit({ filter: text })}
        open={open}
        onOpenChange={setOpen}
        trigger={
          <button
            type="button"
            className={`${part} min-w-0 truncate rounded-l-full pr-2 pl-3`}
            aria-label={m.calls_filter_edit({ filter: text })}
          >
            {text}
          </button>
        }
      >
        {children(() => setOpen(false))}
      </Popover>
      <button
        type="button"
        className={`${part} grid w-8 shrink-0 place-items-center rounded-r-full`}
        onClick={onRemove}
        aria-label={m.calls_filter_remove({ filter: text })}
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </span>
  );
}

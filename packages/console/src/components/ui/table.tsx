import type { ComponentProps } from 'react';
import { cn } from '../class-names';

/** Scrolls sideways inside its own frame on narrow screens, so that the page itself does not. */
export function Table({ className, ...props }: ComponentProps<'table'>) {
  return (
    <div className="relative w-full overflow-x-auto" tabIndex={-1}>
      <table
        className={cn('w-full border-collapse text-sm [&_tbody_tr:last-child_td]:border-b-0', className)}
        {...props}
      />
    </div>
  );
}

export function HeaderCell({ className, ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      className={cn(
        'border-b px-3 py-2 text-left font-medium whitespace-nowrap text-soft first:pl-0 last:pr-0',
        className,
      )}
      {...props}
    />
  );
}

export function Cell({ className, ...props }: ComponentProps<'td'>) {
  return <td className={cn('border-b px-3 py-2.5 align-middle first:pl-0 last:pr-0', className)} {...props} />;
}

import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { inWords } from '../../api/errors';
import { m } from '../../paraglide/messages';
import { cn } from '../class-names';
import { Button } from './button';

const lines = ['w-2/5', 'w-full', 'w-4/5'];

/** Lines where the text will be, so that the page does not jump much when it comes. */
export function Loading() {
  return (
    <div role="status" aria-busy="true" className="grid gap-3 py-2">
      <span className="sr-only">{m.shell_loading()}</span>
      {lines.map((width) => (
        <span key={width} className={cn('h-4 animate-pulse rounded bg-line', width)} aria-hidden />
      ))}
    </div>
  );
}

export function ErrorView({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-lg bg-bad-wash p-4 text-bad">
      <CircleAlert className="size-5 shrink-0" aria-hidden />
      <p className="min-w-0 flex-1">{inWords(error)}</p>
      {onRetry !== undefined && (
        <Button size="small" onClick={onRetry}>
          {m.shell_retry()}
        </Button>
      )}
    </div>
  );
}

interface EmptyViewProps {
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyView({ title = m.shell_empty(), children, action }: EmptyViewProps) {
  return (
    <div className="grid justify-items-center gap-2 rounded-xl border border-dashed p-10 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-md text-sm text-soft">{children}</div>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  );
}

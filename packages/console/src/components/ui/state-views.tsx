import { CircleAlert, LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { m } from '../../paraglide/messages';
import { Button } from './button';

export function Loading() {
  return (
    <div role="status" className="flex items-center gap-2 p-6 text-soft">
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
      {m.shell_loading()}
    </div>
  );
}

export function ErrorView({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-lg bg-bad-wash p-4 text-bad">
      <CircleAlert className="size-5 shrink-0" aria-hidden />
      <p className="min-w-0 flex-1">{error.message}</p>
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

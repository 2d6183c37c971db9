import type { ReactNode } from 'react';

export function DefinitionList({ children }: { children: ReactNode }) {
  return <dl className="grid gap-2.5 text-sm">{children}</dl>;
}

export function Definition({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] items-baseline gap-x-4">
      <dt className="min-w-0 text-soft">{name}</dt>
      <dd className="min-w-0 text-right [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

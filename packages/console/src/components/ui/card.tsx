import type { ComponentProps, ReactNode } from 'react';
import { cn } from '../class-names';

/** For what looks like a card and must be another element. */
export const cardStyle = 'rounded-xl border bg-card p-5 shadow-xs';

export function Card({ className, ...props }: ComponentProps<'section'>) {
  return <section className={cn(cardStyle, className)} {...props} />;
}

interface CardHeadProps {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  id?: string;
}

export function CardHead({ title, description, actions, id }: CardHeadProps) {
  return (
    <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0 grow basis-48">
        <h2 id={id} className="text-base font-semibold">
          {title}
        </h2>
        {description !== undefined && <p className="mt-0.5 text-sm text-soft">{description}</p>}
      </div>
      {Boolean(actions) && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  );
}

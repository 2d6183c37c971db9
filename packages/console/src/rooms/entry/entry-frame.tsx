import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Card } from '../../components/ui/card';
import { BrandMark } from '../../layout/brand-mark';

interface EntryFrameProps {
  title: string;
  lead?: string;
  children: ReactNode;
  /** Below the card: where else to go. */
  foot?: ReactNode;
}

/** The frame of the pages before a session. */
export function EntryFrame({ title, lead, children, foot }: EntryFrameProps) {
  useEffect(() => {
    document.title = `${title} · Sabiá`;
  }, [title]);
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] bg-paper">
      <header className="p-6">
        <a href="/" className="inline-block">
          <BrandMark />
        </a>
      </header>
      <main className="mx-auto w-full max-w-md px-4 pt-[4vh] pb-16">
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {lead !== undefined && <p className="mt-1.5 text-soft">{lead}</p>}
        <Card className="mt-6 p-6">{children}</Card>
        {foot !== undefined && <div className="mt-5 text-center text-sm text-soft">{foot}</div>}
      </main>
    </div>
  );
}

export function EntryLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="font-medium text-accent underline underline-offset-4 hover:text-accent-strong">
      {children}
    </Link>
  );
}

import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { BrandMark } from '../../layout/brand-mark';

/** The frame of the pages before a session. */
export function EntryFrame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Sabiá`;
  }, [title]);
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] bg-paper">
      <header className="p-6">
        <a href="/">
          <BrandMark />
        </a>
      </header>
      <main className="mx-auto w-full max-w-md px-4 pt-[6vh] pb-16">
        <h1 className="mb-6 text-2xl font-semibold tracking-tight">{title}</h1>
        {children}
      </main>
    </div>
  );
}

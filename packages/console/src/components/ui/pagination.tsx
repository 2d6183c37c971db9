import { ChevronLeft, ChevronRight } from 'lucide-react';
import { m } from '../../paraglide/messages';
import { Button } from './button';

export function Pagination({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  if (pages <= 1) return null;
  return (
    <nav className="flex items-center justify-between gap-3 pt-3" aria-label={m.shell_page_of({ page, pages })}>
      <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeft aria-hidden />
        {m.shell_previous()}
      </Button>
      <span className="text-sm text-soft">{m.shell_page_of({ page, pages })}</span>
      <Button size="small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {m.shell_next()}
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  );
}

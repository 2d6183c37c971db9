import { list, table } from './table';
import type { Column } from './table';
import type { Terminal } from './terminal';

export function printTable<T>(terminal: Terminal, rows: readonly T[], columns: readonly Column<T>[]): void {
  const [head = '', ...lines] = table(rows, columns, terminal.columns);
  terminal.line(terminal.bold(head));
  lines.forEach((line) => terminal.line(line));
}

export function printList(terminal: Terminal, pairs: readonly (readonly [string, string | undefined])[]): void {
  list(pairs).forEach((line) => terminal.line(line));
}

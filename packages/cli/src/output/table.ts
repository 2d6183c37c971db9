export interface Column<T> {
  title: string;
  value: (row: T) => string;
  align?: 'right';
  /** Gives way when the table is too wide; the others keep their width. */
  flexible?: boolean;
}

const GAP = 2;
const NARROWEST = 8;

/** Rows in columns that fit the screen: flexible columns are cut, then the last ones left out. */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[], width: number | undefined): string[] {
  const cells = rows.map((row) => columns.map(({ value }) => value(row).replace(/\s+/g, ' ')));
  const widths = columns.map(({ title }, index) =>
    Math.max(lengthOf(title), ...cells.map((row) => lengthOf(row[index]!))),
  );
  const shown = width === undefined ? widths.length : fit(columns, widths, width);
  const write = (row: readonly string[]): string =>
    row
      .slice(0, shown)
      .map((cell, index) => pad(cut(cell, widths[index]!), widths[index]!, columns[index]!.align))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [write(columns.map(({ title }) => title)), ...cells.map(write)];
}

/** Narrows `widths` where it may, for as many columns as have room; the result is their number. */
function fit<T>(columns: readonly Column<T>[], widths: number[], width: number): number {
  const narrowest = widths.map((each, index) => (columns[index]!.flexible ? Math.min(each, NARROWEST) : each));
  const total = (of: readonly number[], count: number): number =>
    of.slice(0, count).reduce((sum, each) => sum + each, 0) + GAP * (count - 1);
  let count = widths.length;
  while (count > 1 && total(narrowest, count) > width) count -= 1;
  for (let index = 0; index < count; index += 1) {
    const surplus = Math.max(0, total(widths, count) - width);
    widths[index] = Math.max(narrowest[index]!, widths[index]! - surplus);
  }
  return count;
}

/** Names and values, one under the other. */
export function list(pairs: readonly (readonly [string, string | undefined])[]): string[] {
  const present = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined);
  const width = Math.max(...present.map(([name]) => lengthOf(name)));
  return present.map(([name, value]) => `${pad(name, width)}${' '.repeat(GAP)}${value}`);
}

const lengthOf = (text: string): number => [...text].length;

export function cut(text: string, width: number): string {
  return lengthOf(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`;
}

function pad(text: string, width: number, align?: 'right'): string {
  const space = ' '.repeat(Math.max(0, width - lengthOf(text)));
  return align === 'right' ? space + text : text + space;
}

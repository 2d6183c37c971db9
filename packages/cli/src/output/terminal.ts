export interface Terminal {
  /** Undefined where nobody looks at a screen: nothing is cut then. */
  readonly columns: number | undefined;
  readonly isInteractive: boolean;
  line(text?: string): void;
  /** What is not the result: hints, progress, errors. */
  note(text: string): void;
  /** One object per line. */
  json(value: unknown): void;
  bold(text: string): string;
  soft(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

interface Stream {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

export function createTerminal(out: Stream, err: Stream, colours: boolean): Terminal {
  const style = (code: number) => (text: string) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
  return {
    columns: out.isTTY ? out.columns : undefined,
    isInteractive: out.isTTY === true,
    line: (text = '') => void out.write(`${text}\n`),
    note: (text) => void err.write(`${text}\n`),
    json: (value) => void out.write(`${JSON.stringify(value)}\n`),
    bold: style(1),
    soft: style(2),
    good: style(32),
    bad: style(31),
    warn: style(33),
  };
}

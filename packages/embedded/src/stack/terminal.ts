import { isAtLeast, parseLogLine } from './log-line';
import type { Reporter } from './reporter';

const COLOURS = [36, 35, 34, 33, 32, 96, 95, 94];
const LEVEL_COLOURS: Record<string, number> = { warn: 33, error: 31, fatal: 31 };
const NAME_WIDTH = 10;

export interface Terminal extends Reporter {
  print: (text: string) => void;
  complain: (text: string) => void;
  bold: (text: string) => string;
  soft: (text: string) => string;
}

export function createTerminal(options: {
  logLevel: string;
  colours: boolean;
  write: (text: string) => void;
}): Terminal {
  const { logLevel, colours, write } = options;
  const paint = (code: number, text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  const colourOf = new Map<string, number>();
  const prefix = (name: string) => {
    const colour = colourOf.get(name) ?? COLOURS[colourOf.size % COLOURS.length] ?? 36;
    colourOf.set(name, colour);
    return paint(colour, `${name.padEnd(NAME_WIDTH)} |`);
  };
  const print = (text: string) => write(`${text}\n`);
  return {
    print,
    complain: (text) => print(`${paint(31, 'sabia:')} ${text}`),
    bold: (text) => paint(1, text),
    soft: (text) => paint(90, text),
    progress: (message) => print(`${paint(90, 'sabia:')} ${message}`),
    event: (message) => print(`${paint(33, 'sabia:')} ${message}`),
    line(name, text) {
      const { level, message, time } = parseLogLine(text);
      if (!isAtLeast(level, logLevel)) return;
      const clock = (time ?? new Date()).toTimeString().slice(0, 8);
      print(
        `${prefix(name)} ${paint(90, clock)} ${paint(LEVEL_COLOURS[level] ?? 90, level.toUpperCase().padEnd(5))} ${message}`,
      );
    },
  };
}

import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const LARGEST_LOG = 64 * 1024 * 1024;
const LONGEST_LINE = 64 * 1024;
const INTERVAL_MS = 150;

export interface LogTail {
  /** Reads the rest and ends. */
  stop(): void;
}

/** Follows a log file from its present end. A large file is emptied instead of renamed, because its writer holds it open. */
export function followLog(file: string, onLine: (line: string) => void): LogTail {
  let position = sizeOf(file);
  let rest = '';
  const buffer = Buffer.alloc(64 * 1024);

  const read = () => {
    const size = sizeOf(file);
    if (size < position) position = 0;
    if (size === position) return;
    const descriptor = openSync(file, 'r');
    try {
      for (;;) {
        const count = readSync(descriptor, buffer, 0, buffer.length, position);
        if (count === 0) break;
        position += count;
        const lines = (rest + buffer.toString('utf8', 0, count)).split('\n');
        rest = (lines.pop() ?? '').slice(-LONGEST_LINE);
        lines.filter(Boolean).forEach(onLine);
      }
    } finally {
      closeSync(descriptor);
    }
    if (position > LARGEST_LOG) {
      copyFileSync(file, `${file}.1`);
      truncateSync(file, 0);
      position = 0;
    }
  };

  const timer = setInterval(read, INTERVAL_MS);
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      read();
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

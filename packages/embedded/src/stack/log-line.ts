const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

export interface LogLine {
  level: string;
  message: string;
  time: Date | undefined;
}

/** A line of a service: JSON as the logger writes it, or plain text, which is what a crash prints and therefore an error. */
export function parseLogLine(line: string): LogLine {
  try {
    const fields = JSON.parse(line) as {
      level?: unknown;
      msg?: unknown;
      time?: unknown;
      err?: { message?: unknown };
      rpc?: unknown;
    };
    if (typeof fields === 'object' && fields !== null && typeof fields.level === 'string') {
      const cause = fields.err?.message;
      const parts = [fields.rpc, fields.msg, cause === fields.msg ? undefined : cause].filter(
        (part) => typeof part === 'string',
      );
      const time =
        typeof fields.time === 'string' || typeof fields.time === 'number' ? new Date(fields.time) : undefined;
      return { level: fields.level, message: parts.join(': '), time };
    }
  } catch {
    // Not JSON.
  }
  return { level: 'error', message: line, time: undefined };
}

export function isAtLeast(level: string, threshold: string): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

export interface LogLine {
  level: string;
  message: string;
  time: Date | undefined;
}

/** A log line of a service: JSON from the logger, or plain text from a crash, which counts as an error. */
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

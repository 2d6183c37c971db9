import { pino } from 'pino';
import { currentScope } from './request-scope';
import { redactErrors, redactLine, redactSecrets } from './redaction';

export type Logger = pino.Logger;

export interface LoggerOptions {
  name: string;
  level: string;
  destination?: pino.DestinationStream;
}

/** Writes JSON lines. Every line written while a request is served carries its request id and trace id. */
export function createLogger({ name, level, destination }: LoggerOptions): Logger {
  const options: pino.LoggerOptions = {
    name,
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: scopeFields,
    // Fields of the logged object win over those of the scope.
    mixinMergeStrategy: (fields, mixed) => ({ ...mixed, ...fields }),
    serializers: { err: redactErrors },
    formatters: {
      level: (label) => ({ level: label }),
      log: redactSecrets,
    },
    hooks: { streamWrite: redactLine },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function scopeFields(): object {
  const scope = currentScope();
  if (scope === undefined) {
    return {};
  }
  return { requestId: scope.requestId, traceId: scope.span?.spanContext().traceId, rpc: scope.rpc };
}

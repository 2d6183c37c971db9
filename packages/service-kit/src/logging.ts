import { pino } from 'pino';
import { currentScope } from './request-scope';

export type Logger = pino.Logger;

export interface LoggerOptions {
  name: string;
  level: string;
  destination?: pino.DestinationStream;
}

/** Writes JSON lines with secrets masked. Every line written while a request is served carries its request id and trace id. */
export function createLogger({ name, level, destination }: LoggerOptions): Logger {
  const options: pino.LoggerOptions = {
    name,
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // Fields of the logged object win over these.
    mixin: scopeFields,
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

const REDACTED = '[redacted]';
const MAXIMUM_DEPTH = 8;

// Names are compared without case, dashes and underscores, so that access_token, accessToken and Access-Token are the same.
const secretName =
  /^(.*password(hash|confirmation)?|senha|secrets?|.*secret|.*tokens?|tokenhash|.*authorization|cpfcnpj|(set)?cookie|apikey|credentials?|privatekey)$/;

const isSecret = (name: string): boolean => secretName.test(name.toLowerCase().replace(/[-_]/g, ''));

/** Copies the fields and masks secrets at any depth. Errors keep their class, so that pino's serializer still recognises them. */
function redactSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return redactObject(fields, 0);
}

function redactObject(object: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) {
      continue;
    }
    copy[name] = value !== null && isSecret(name) ? REDACTED : redactValue(value, depth + 1);
  }
  return copy;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || value instanceof Error) {
    return value;
  }
  if (ArrayBuffer.isView(value)) {
    return `[${value.byteLength} bytes]`;
  }
  if (depth > MAXIMUM_DEPTH) {
    return '[too deep]';
  }
  if (Array.isArray(value)) {
    return value.map((item) => redactValue(item, depth + 1));
  }
  if (value instanceof Map) {
    return redactObject(Object.fromEntries(value as Map<string, unknown>), depth);
  }
  return redactObject(value, depth);
}

/** Serializes an error with its secrets masked: database and HTTP errors carry parameters and whole requests. */
function redactErrors(error: Error): unknown {
  const serialized: unknown = pino.stdSerializers.err(error);
  return typeof serialized === 'object' && serialized !== null ? redactObject(serialized, 0) : serialized;
}

const secretsInText =
  // "password":"…" (also escaped, inside a message) · access_token=… · postgres://user:…@ · Bearer …
  /(\\?"(?:password|senha|token|access_?token|authorization|cpf_?cnpj|secret)\\?"\s*:\s*\\?")[^"\\]+|([?&;]?\b(?:access_token|token|password|signature)=)[^&\s"'\\]+|(\w:\/\/[^:/@\s"]*:)[^@/\s"]+(?=@)|(\bBearer\s+)[\w.~+/=-]+/gi;

/** Masks secrets in the finished line: those in messages, stacks, URLs and the bindings of child loggers. */
function redactLine(line: string): string {
  return line.replace(
    secretsInText,
    (_match, inJson: string | undefined, inQuery: string | undefined, inUrl: string | undefined, bearer: string) =>
      `${inJson ?? inQuery ?? inUrl ?? bearer}${REDACTED}`,
  );
}

import { pino } from 'pino';

const REDACTED = '[redacted]';
const MAXIMUM_DEPTH = 8;

// Compared without case, dashes and underscores, so that access_token, accessToken and Access-Token are one.
const secretName =
  /^(.*password(hash|confirmation)?|senha|secrets?|.*secret|.*tokens?|tokenhash|.*authorization|cpfcnpj|(set)?cookie|apikey|credentials?|privatekey)$/;

/** The same few names are in every line. */
const verdicts = new Map<string, boolean>();
const MAXIMUM_VERDICTS = 1_000;

function isSecret(name: string): boolean {
  let verdict = verdicts.get(name);
  if (verdict === undefined) {
    verdict = secretName.test(name.toLowerCase().replace(/[-_]/g, ''));
    if (verdicts.size < MAXIMUM_VERDICTS) verdicts.set(name, verdict);
  }
  return verdict;
}

/** A copy in which secrets are masked at any depth. Errors keep their class, so that pino's serializer still knows them. */
export function redactSecrets(fields: Record<string, unknown>): Record<string, unknown> {
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

/** Database and HTTP errors hang parameters and whole requests on themselves. */
export function redactErrors(error: Error): unknown {
  const serialized: unknown = pino.stdSerializers.err(error);
  return typeof serialized === 'object' && serialized !== null ? redactObject(serialized, 0) : serialized;
}

const secretsInText =
  // "password":"…" (also escaped, inside a message) · access_token=… · postgres://user:…@ · Bearer …
  /(\\?"(?:password|senha|token|access_?token|authorization|cpf_?cnpj|secret)\\?"\s*:\s*\\?")[^"\\]+|([?&;]?\b(?:access_token|token|password|signature)=)[^&\s"'\\]+|(\w:\/\/[^:/@\s"]*:)[^@/\s"]+(?=@)|(\bBearer\s+)[\w.~+/=-]+/gi;

/** The last net, over the finished line: what is inside messages, stacks, URLs and the bindings of child loggers. */
export function redactLine(line: string): string {
  return line.replace(
    secretsInText,
    (_match, inJson: string | undefined, inQuery: string | undefined, inUrl: string | undefined, bearer: string) =>
      `${inJson ?? inQuery ?? inUrl ?? bearer}${REDACTED}`,
  );
}

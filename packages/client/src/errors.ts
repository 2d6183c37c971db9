export interface FieldProblem {
  /** Such as "presence", "format" or "uniqueness". */
  code: string;
  /** English; programs go by the code. */
  message: string;
}

export interface SabiaErrorDetails {
  status: number;
  code: string;
  message: string;
  fields?: Readonly<Record<string, readonly FieldProblem[]>>;
  requestId?: string;
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** A refusal of the API, or a request that got no answer. */
export class SabiaError extends Error {
  override readonly name = 'SabiaError';
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  /** Such as "INSUFFICIENT_CREDIT"; "NO_CONNECTION" or "TIMEOUT" if there was no answer. */
  readonly code: string;
  /** What is wrong with each field of the request, by its name. */
  readonly fields: Readonly<Record<string, readonly FieldProblem[]>>;
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** When the API wants to be asked again. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, code, message, fields = {}, requestId, retryAfterSeconds, cause }: SabiaErrorDetails) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface ErrorBody {
  error?: {
    message?: string;
    code?: string;
    requestId?: string;
    details?: { codes?: Record<string, string[]>; messages?: Record<string, string[]> };
  };
}

/** Reads an answer that is no success. Proxies on the way may have written it, so nothing is taken for granted. */
export async function errorOf(response: Response): Promise<SabiaError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody | null;
  const { message, code, requestId, details } = body?.error ?? {};
  return new SabiaError({
    status: response.status,
    code: code ?? `HTTP_${response.status}`,
    message: message ?? `The server answered ${response.status} ${response.statusText}`.trim(),
    fields: fieldsOf(details),
    requestId: requestId ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: secondsIn(response.headers.get('retry-after')),
  });
}

function fieldsOf({ codes = {}, messages = {} }: NonNullable<ErrorBody['error']>['details'] = {}) {
  return Object.fromEntries(
    Object.entries(codes).map(([field, each]) => [
      field,
      each.map((code, index) => ({ code, message: messages[field]?.[index] ?? '' })),
    ]),
  );
}

/** Retry-After is a number of seconds or a date. */
function secondsIn(text: string | null): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const seconds = Number.isNaN(Number(text)) ? (Date.parse(text) - Date.now()) / 1000 : Number(text);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

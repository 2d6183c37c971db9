import { m } from '../paraglide/messages';
import { fieldErrorInWords, refusalInWords } from './error-words';

interface ErrorBody {
  error?: {
    message?: string;
    code?: string;
    details?: { codes?: Record<string, string[]>; messages?: Record<string, string[]> };
    requestId?: string;
  };
}

/** A refusal of the API in the reader's language, or a request that never arrived (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** What is wrong with each field, by its name. */
    readonly fields: Readonly<Record<string, string>> = {},
    readonly requestId?: string,
  ) {
    super(message);
  }
}

export function connectionLost(): ApiError {
  return new ApiError(0, 'NETWORK', m.errors_network());
}

/** For routes that change what exists where a form means to create. */
export function alreadyTaken(field: string): ApiError {
  return new ApiError(422, 'VALIDATION_ERROR', m.errors_invalid(), { [field]: m.errors_field_uniqueness() });
}

export async function toApiError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const { code = '', message = response.statusText, details = {}, requestId = '' } = body.error ?? {};
  const words = refusalInWords({
    status: response.status,
    code,
    message,
    requestId,
    retryAfterSeconds: response.headers.get('retry-after') ?? '60',
  });
  const fields = Object.entries(details.codes ?? {}).map(([field, codes]) => [
    field,
    fieldErrorInWords(codes[0] ?? '', details.messages?.[field]?.[0] ?? ''),
  ]);
  return new ApiError(response.status, code, words, Object.fromEntries(fields) as Record<string, string>, requestId);
}

/** The errors of a form's fields, for a mutation that may have failed. */
export function fieldErrors(error: Error | null): Readonly<Record<string, string>> {
  return error instanceof ApiError ? error.fields : {};
}

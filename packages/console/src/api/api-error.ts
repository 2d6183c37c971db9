import { m } from '../paraglide/messages';

interface ErrorBody {
  error?: {
    message?: string;
    code?: string;
    details?: { codes?: Record<string, string[]>; messages?: Record<string, string[]> };
    requestId?: string;
  };
}

/** A refusal of the API, or a request that never arrived (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Messages by the name of the field they belong to. */
    readonly fields: Readonly<Record<string, string>> = {},
    readonly requestId?: string,
  ) {
    super(message);
  }
}

export function connectionLost(): ApiError {
  return new ApiError(0, 'NETWORK', m.errors_network());
}

export async function toApiError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const { code = '', message = response.statusText, details, requestId } = body.error ?? {};
  const fields = Object.fromEntries(
    Object.entries(details?.messages ?? {}).map(([field, messages]) => [field, messages.join(' ')]),
  );
  return new ApiError(response.status, code, inWords(response, message, requestId), fields, requestId);
}

/** What a person reads: our words for refusals that mean the same everywhere, else what the API says. */
function inWords(response: Response, message: string, requestId = ''): string {
  switch (response.status) {
    case 403:
      return m.errors_denied();
    case 404:
      return m.errors_not_found();
    case 429:
      return m.errors_too_many({ seconds: response.headers.get('retry-after') ?? '60' });
    case 502:
    case 503:
    case 504:
      return m.errors_unavailable();
    default:
      return response.status >= 500 ? m.errors_unexpected({ requestId }) : message;
  }
}

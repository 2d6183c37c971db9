import type { ApiAnswer } from './stack-client';

export interface Refusal {
  status: number;
  name: string;
  code: string;
  message: string;
  details?: { context: string; codes: Record<string, string[]>; messages: Record<string, string[]> };
}

interface ErrorBody {
  error: Omit<Refusal, 'status'> & { statusCode: number; errorCode: string; requestId: string };
}

/** The content of an error answer without the request id. Throws when a field of every error answer is missing. */
export function refusalOf(answer: ApiAnswer): Refusal {
  const { error } = (answer.body ?? {}) as Partial<ErrorBody>;
  if (!error) throw new Error(`no error but ${answer.status} ${answer.text}`);
  const { statusCode, errorCode, requestId, ...said } = error;
  const limits = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => answer.headers[name]);
  if (
    statusCode !== answer.status ||
    errorCode !== said.code ||
    !requestId ||
    requestId !== answer.headers['x-request-id'] ||
    !limits.every((limit) => /^\d+$/.test(limit ?? ''))
  )
    throw new Error(`not the form of an error: ${answer.text} with ${JSON.stringify(answer.headers)}`);
  return { status: answer.status, ...said };
}

export const unauthorized: Refusal = {
  status: 401,
  name: 'Error',
  code: 'AUTHORIZATION_REQUIRED',
  message: 'Authorization Required',
};

export const expired: Refusal = { status: 401, name: 'Error', code: 'INVALID_TOKEN', message: 'Invalid Access Token' };

export const loginFailed: Refusal = { status: 401, name: 'Error', code: 'LOGIN_FAILED', message: 'login failed' };

export const accessDenied: Refusal = {
  status: 403,
  name: 'ForbiddenError',
  code: 'ACCESS_DENIED',
  message: 'Access Denied',
};

export const lastAdmin: Refusal = {
  status: 409,
  name: 'ConflictError',
  code: 'LAST_ADMIN',
  message: 'The last ADMIN of an account can be neither demoted nor deleted.',
};

export const unknownId = (model: string, id: string | number): Refusal => ({
  status: 404,
  name: 'NotFoundError',
  code: 'MODEL_NOT_FOUND',
  message: `Unknown "${model}" id "${id}".`,
});

/** Each field with its code and its message, in the order in which the message names them. */
export const invalid = (context: string, fields: Record<string, [code: string, message: string]>): Refusal => {
  const entries = Object.entries(fields);
  return {
    status: 422,
    name: 'ValidationError',
    code: 'VALIDATION_ERROR',
    message: `The "${context}" instance is not valid. Details: ${entries.map(([field, [, message]]) => `"${field}" ${message}`).join('; ')}.`,
    details: {
      context,
      codes: Object.fromEntries(entries.map(([field, [code]]) => [field, [code]])),
      messages: Object.fromEntries(entries.map(([field, [, message]]) => [field, [message]])),
    },
  };
};

export const blank: [string, string] = ['presence', "can't be blank"];
export const taken: [string, string] = ['uniqueness', 'already exists'];

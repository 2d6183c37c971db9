import { status as grpcStatus } from '@grpc/grpc-js';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, TransportError } from '@sabia/service-kit/errors';
import type { Violation } from '@sabia/service-kit/errors';
import { HttpError } from './http-error';

interface ErrorFields {
  status: number;
  name: string;
  code: string;
  message: string;
  details?: object;
  headers?: Readonly<Record<string, string>>;
}

export interface RenderedError {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string;
  code: string;
  /** The error has no known kind, so it is a bug and has to be logged. */
  unexpected: boolean;
}

const kinds: Record<ErrorKind, [status: number, name: string] | undefined> = {
  [ErrorKind.UNSPECIFIED]: undefined,
  [ErrorKind.BAD_REQUEST]: [400, 'BadRequestError'],
  [ErrorKind.UNAUTHENTICATED]: [401, 'Error'],
  [ErrorKind.INSUFFICIENT_CREDIT]: [402, 'PaymentRequiredError'],
  [ErrorKind.DENIED]: [403, 'ForbiddenError'],
  [ErrorKind.NOT_FOUND]: [404, 'NotFoundError'],
  [ErrorKind.CONFLICT]: [409, 'ConflictError'],
  [ErrorKind.ALREADY_EXISTS]: [412, 'PreconditionFailedError'],
  [ErrorKind.VALIDATION]: [422, 'ValidationError'],
  [ErrorKind.UNPROCESSABLE]: [422, 'UnprocessableEntityError'],
  [ErrorKind.RATE_LIMITED]: [429, 'TooManyRequests'],
  [ErrorKind.UNAVAILABLE]: [503, 'ServiceUnavailableError'],
};

/** The only place that turns an error into an HTTP response. */
export function renderError(error: unknown, requestId: string): RenderedError {
  const known = fieldsOf(error);
  const { status, name, code, message, details, headers } = known ?? internal;
  return {
    status,
    headers,
    // `code` and `errorCode` carry the same value: older clients read one, the rate limit is specified with the other.
    body: JSON.stringify({ error: { statusCode: status, name, message, code, errorCode: code, details, requestId } }),
    code,
    unexpected: known === undefined,
  };
}

const internal: ErrorFields = {
  status: 500,
  name: 'InternalServerError',
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong on our side. Please quote the request id when you report it.',
};

const notImplemented: ErrorFields = {
  status: 501,
  name: 'NotImplementedError',
  code: 'NOT_IMPLEMENTED',
  message: 'This operation is not available yet.',
};

const timedOut: ErrorFields = {
  status: 504,
  name: 'GatewayTimeoutError',
  code: 'GATEWAY_TIMEOUT',
  message: 'The request took too long and was given up.',
};

const unavailable = (message: string, retryAfterSeconds = 1): ErrorFields => ({
  status: 503,
  name: 'ServiceUnavailableError',
  code: 'SERVICE_UNAVAILABLE',
  message,
  headers: { 'retry-after': String(retryAfterSeconds) },
});

function fieldsOf(error: unknown): ErrorFields | undefined {
  if (error instanceof HttpError) {
    return { ...error, name: error.errorName, message: error.message };
  }
  if (error instanceof ServiceError) {
    return fieldsOfServiceError(error);
  }
  return error instanceof TransportError ? fieldsOfTransportError(error) : undefined;
}

function fieldsOfServiceError(error: ServiceError): ErrorFields | undefined {
  const kind = kinds[error.kind];
  if (kind === undefined) {
    return undefined;
  }
  if (error.kind === ErrorKind.UNAVAILABLE) {
    return unavailable(error.message, error.retryAfterSeconds);
  }
  const [status, name] = kind;
  return {
    status,
    name,
    code: error.kind === ErrorKind.RATE_LIMITED ? 'RATE_LIMITED' : error.code,
    message: error.message,
    details: error.kind === ErrorKind.VALIDATION ? detailsOf(error.context, error.violations) : undefined,
    headers: error.retryAfterSeconds === undefined ? undefined : { 'retry-after': String(error.retryAfterSeconds) },
  };
}

function fieldsOfTransportError({ grpcCode }: TransportError): ErrorFields | undefined {
  switch (grpcCode) {
    case grpcStatus.UNIMPLEMENTED:
      return notImplemented;
    case grpcStatus.UNAVAILABLE:
      return unavailable('The service is temporarily unavailable.');
    case grpcStatus.DEADLINE_EXCEEDED:
      return timedOut;
    default:
      return undefined;
  }
}

function detailsOf(context: string | undefined, violations: Violation[]): object {
  // Without a prototype: a field may be called anything.
  const codes = Object.create(null) as Record<string, string[]>;
  const messages = Object.create(null) as Record<string, string[]>;
  for (const { field, code, message } of violations) {
    (codes[field] ??= []).push(code);
    (messages[field] ??= []).push(message);
  }
  return { context, codes, messages };
}

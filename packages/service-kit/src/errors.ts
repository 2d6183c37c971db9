import type { status } from '@grpc/grpc-js';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';

export interface Violation {
  field: string;
  code: string;
  message: string;
}

export interface ServiceErrorOptions {
  kind: ErrorKind;
  code: string;
  message: string;
  context?: string;
  violations?: Violation[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** The one error that a caller is meant to see. It knows nothing of HTTP; the gateway renders it. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ErrorKind;
  readonly code: string;
  readonly context?: string;
  readonly violations: Violation[];
  readonly retryAfterSeconds?: number;

  constructor(options: ServiceErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = options.kind;
    this.code = options.code;
    this.context = options.context;
    this.violations = options.violations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** An RPC that failed without a response from the service: unreachable, too late, cancelled, not implemented. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly grpcCode: status;

  constructor(grpcCode: status, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.grpcCode = grpcCode;
  }
}

export const badRequest = (code: string, message: string): ServiceError =>
  new ServiceError({ kind: ErrorKind.BAD_REQUEST, code, message });

/** The message follows LoopBack: `The "user" instance is not valid. Details: …`. */
export const invalid = (context: string, violations: Violation[]): ServiceError =>
  new ServiceError({
    kind: ErrorKind.VALIDATION,
    code: 'VALIDATION_ERROR',
    message: `The "${context}" instance is not valid. Details: ${violations
      .map(({ field, message }) => `"${field}" ${message}`)
      .join('; ')}.`,
    context,
    violations,
  });

export const unauthenticated = (code = 'AUTHORIZATION_REQUIRED', message = 'Authorization Required'): ServiceError =>
  new ServiceError({ kind: ErrorKind.UNAUTHENTICATED, code, message });

export const denied = (message = 'Access Denied'): ServiceError =>
  new ServiceError({ kind: ErrorKind.DENIED, code: 'ACCESS_DENIED', message });

/** The operator has suspended the account of the request; `reason` is in the operator's words. */
export const accountSuspended = (reason: string): ServiceError =>
  new ServiceError({
    kind: ErrorKind.DENIED,
    code: 'ACCOUNT_SUSPENDED',
    message: `This account is suspended: ${reason}`,
  });

export const notFound = (model: string, id: string | number): ServiceError =>
  new ServiceError({
    kind: ErrorKind.NOT_FOUND,
    code: 'MODEL_NOT_FOUND',
    message: `Unknown "${model}" id "${id}".`,
  });

export const conflict = (code: string, message: string): ServiceError =>
  new ServiceError({ kind: ErrorKind.CONFLICT, code, message });

export const insufficientCredit = (message = 'Not enough credit.'): ServiceError =>
  new ServiceError({ kind: ErrorKind.INSUFFICIENT_CREDIT, code: 'INSUFFICIENT_CREDIT', message });

export const rateLimited = (message: string, retryAfterSeconds: number): ServiceError =>
  new ServiceError({ kind: ErrorKind.RATE_LIMITED, code: 'RATE_LIMITED', message, retryAfterSeconds });

export const unprocessable = (code: string, message: string): ServiceError =>
  new ServiceError({ kind: ErrorKind.UNPROCESSABLE, code, message });

/** For a request that may only create (If-None-Match: *). */
export const alreadyExists = (message: string): ServiceError =>
  new ServiceError({ kind: ErrorKind.ALREADY_EXISTS, code: 'ALREADY_EXISTS', message });

export const unavailable = (
  message = 'The service is temporarily unavailable.',
  retryAfterSeconds = 1,
  cause?: unknown,
): ServiceError =>
  new ServiceError({ kind: ErrorKind.UNAVAILABLE, code: 'SERVICE_UNAVAILABLE', message, retryAfterSeconds, cause });

import { Metadata, status } from '@grpc/grpc-js';
import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import { Status } from '@sabia/protos/google/rpc/status';
import { ErrorDetail, ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, TransportError, unavailable } from '../errors';
import { metadataKeys } from './rpc-headers';

export interface GrpcStatus {
  code: status;
  details: string;
  metadata: Metadata;
}

const detailTypeUrl = `type.googleapis.com/${ErrorDetail.$type}`;

const codes: Record<ErrorKind, status> = {
  [ErrorKind.UNSPECIFIED]: status.UNKNOWN,
  [ErrorKind.BAD_REQUEST]: status.INVALID_ARGUMENT,
  [ErrorKind.VALIDATION]: status.INVALID_ARGUMENT,
  [ErrorKind.UNAUTHENTICATED]: status.UNAUTHENTICATED,
  [ErrorKind.DENIED]: status.PERMISSION_DENIED,
  [ErrorKind.NOT_FOUND]: status.NOT_FOUND,
  [ErrorKind.CONFLICT]: status.ABORTED,
  [ErrorKind.INSUFFICIENT_CREDIT]: status.FAILED_PRECONDITION,
  [ErrorKind.RATE_LIMITED]: status.RESOURCE_EXHAUSTED,
  [ErrorKind.UNAVAILABLE]: status.UNAVAILABLE,
  [ErrorKind.UNPROCESSABLE]: status.FAILED_PRECONDITION,
  [ErrorKind.ALREADY_EXISTS]: status.ALREADY_EXISTS,
};

/** Failures of an RPC to another service that are passed on as they are; any other becomes INTERNAL. */
const passedOn = new Set<status>([status.CANCELLED, status.DEADLINE_EXCEEDED, status.UNIMPLEMENTED]);

const texts: Partial<Record<status, string>> = {
  [status.CANCELLED]: 'the RPC was cancelled',
  [status.DEADLINE_EXCEEDED]: 'the deadline has passed',
  [status.UNIMPLEMENTED]: 'not implemented',
};

/** Errors cross gRPC as a google.rpc.Status that holds an ErrorDetail. An error that is not meant for clients becomes a bare INTERNAL. */
export function toGrpcStatus(error: unknown): GrpcStatus {
  if (error instanceof ServiceError) {
    return statusOfServiceError(error);
  }
  if (error instanceof TransportError) {
    if (error.grpcCode === status.UNAVAILABLE) {
      return statusOfServiceError(unavailable());
    }
    return passedOn.has(error.grpcCode) ? bareStatus(error.grpcCode) : bareStatus(status.INTERNAL);
  }
  if (isBackendAway(error)) {
    return statusOfServiceError(unavailable());
  }
  if (isStatementCancelled(error)) {
    return bareStatus(status.DEADLINE_EXCEEDED);
  }
  if (error instanceof Error && error.name === 'AbortError') {
    return bareStatus(status.CANCELLED);
  }
  return bareStatus(status.INTERNAL);
}

export function bareStatus(code: status): GrpcStatus {
  return { code, details: texts[code] ?? 'internal error', metadata: new Metadata() };
}

function statusOfServiceError(error: ServiceError): GrpcStatus {
  const code = codes[error.kind];
  const detail = ErrorDetail.fromPartial({
    kind: error.kind,
    code: error.code,
    message: error.message,
    context: error.context,
    violations: error.violations,
    retryAfterSeconds: error.retryAfterSeconds === undefined ? 0 : Math.max(0, Math.ceil(error.retryAfterSeconds)),
  });
  const bytes = Status.encode({
    code,
    message: error.message,
    details: [{ typeUrl: detailTypeUrl, value: Buffer.from(ErrorDetail.encode(detail).finish()) }],
  }).finish();
  const metadata = new Metadata();
  metadata.set(metadataKeys.statusDetails, Buffer.from(bytes));
  return { code, details: headerText(error.message), metadata };
}

/** grpc-message is a header: a lone surrogate would make its encoding throw, a long text would exceed the size limit of headers. */
function headerText(message: string): string {
  return message.slice(0, 500).replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The error that the service raised; undefined when the failure did not come from one of our services. */
export function fromGrpcError(error: GrpcError): ServiceError | undefined {
  const [bytes] = error.metadata?.get(metadataKeys.statusDetails) ?? [];
  if (!Buffer.isBuffer(bytes)) {
    return undefined;
  }
  const detail = decodeDetail(bytes);
  if (detail === undefined) {
    return undefined;
  }
  return new ServiceError({
    kind: detail.kind,
    code: detail.code,
    message: detail.message,
    context: detail.context === '' ? undefined : detail.context,
    violations: detail.violations,
    retryAfterSeconds: detail.retryAfterSeconds === 0 ? undefined : detail.retryAfterSeconds,
  });
}

function decodeDetail(bytes: Buffer): ErrorDetail | undefined {
  try {
    const any = Status.decode(bytes).details.find(({ typeUrl }) => typeUrl === detailTypeUrl);
    return any === undefined ? undefined : ErrorDetail.decode(any.value);
  } catch {
    return undefined;
  }
}

/** Builds an error in the form in which grpc-js reports failures. */
export function grpcError(code: status, details: string, statusDetails?: Buffer): GrpcError {
  const metadata = new Metadata();
  if (statusDetails !== undefined && statusDetails.length > 0) {
    metadata.set(metadataKeys.statusDetails, statusDetails);
  }
  return Object.assign(new Error(details), { code, details, metadata });
}

/** Turns a failed RPC into the service's own error, or into a TransportError with the gRPC code. */
export function toRpcError(error: GrpcError): ServiceError | TransportError {
  // grpc-js describes a broken stream with these texts. No service has answered, so the failure is UNAVAILABLE.
  const broken = /^(Received RST_STREAM|Call cancelled$)/.test(error.details);
  return fromGrpcError(error) ?? new TransportError(broken ? status.UNAVAILABLE : error.code, error.details, error);
}

// Error codes of backends that are away. Codes alone, so that the gRPC layer needs neither the PostgreSQL nor the NATS client.
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // PostgreSQL: shutting down, crashed, starting up, too many connections
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

const natsAwayCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DRAINING',
  'CONNECTION_REFUSED',
  'CONNECTION_TIMEOUT',
  'DISCONNECT',
  'TIMEOUT',
  '503',
]);

function isBackendAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) {
    return false;
  }
  if (awayCodes.has(code) || /^08[0-9A-Z]{3}$/.test(code)) {
    return true;
  }
  return (error as Error).name === 'NatsError' && natsAwayCodes.has(code);
}

/** PostgreSQL query_canceled: the request was cancelled or the statement reached its time limit. */
function isStatementCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') {
    return undefined;
  }
  return error.code;
}

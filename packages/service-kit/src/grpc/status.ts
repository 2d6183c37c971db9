import { Metadata, status } from '@grpc/grpc-js';
import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import { Status } from '@sabia/protos/google/rpc/status';
import { ErrorDetail, ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError, TransportError, unavailable } from '../errors';
import { isBackendAway, isStatementCancelled } from './backend-errors';
import { metadataKeys } from './metadata-keys';

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
};

/** Failures of a call onwards that mean the same to our own caller. Any other is our own fault: INTERNAL. */
const passedOn = new Set<status>([status.CANCELLED, status.DEADLINE_EXCEEDED, status.UNIMPLEMENTED]);

const texts: Partial<Record<status, string>> = {
  [status.CANCELLED]: 'the call was cancelled',
  [status.DEADLINE_EXCEEDED]: 'the deadline has passed',
  [status.UNIMPLEMENTED]: 'not implemented',
};

/** Errors cross gRPC as google.rpc.Status holding an ErrorDetail. Whatever is not meant for callers becomes a bare INTERNAL. */
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

/** grpc-message is a header: a lone surrogate makes its encoding throw, a long text breaks the header limit. */
function headerText(message: string): string {
  return message.slice(0, 500).replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The error as the service raised it, or undefined when the failure did not come from a service of ours. */
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

/** A failure that did not come from grpc-js, as if it had. */
export function grpcError(code: status, details: string, statusDetails?: Buffer): GrpcError {
  const metadata = new Metadata();
  if (statusDetails !== undefined && statusDetails.length > 0) {
    metadata.set(metadataKeys.statusDetails, statusDetails);
  }
  return Object.assign(new Error(details), { code, details, metadata });
}

/** What a failed call means on this side: the service's own error, or a TransportError with its gRPC code. */
export function toRpcError(error: GrpcError): ServiceError | TransportError {
  // With these words grpc-js tells of a stream that broke on its way. No service has answered, so none has failed.
  const broken = /^(Received RST_STREAM|Call cancelled$)/.test(error.details);
  return fromGrpcError(error) ?? new TransportError(broken ? status.UNAVAILABLE : error.code, error.details, error);
}

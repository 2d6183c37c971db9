import { randomUUID } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import type { Span } from '@opentelemetry/api';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { StreamedCall } from '@sabia/protos/sabia/api/v1/call_stream';
import type { RequestScope } from '../request-scope';
import { traceHeaders } from '../trace-context';
import { metadataKeys } from './metadata-keys';

/** What a request takes along to the next service, by whichever way. Empty is absent. */
export type RpcHeaders = Pick<
  StreamedCall,
  'requestId' | 'traceparent' | 'tracestate' | 'caller' | 'clientIp' | 'idempotencyKey'
>;

const nobody = Buffer.alloc(0);
// The gateway keeps the callers of live tokens, and each makes many calls.
const encodedCallers = new WeakMap<Caller, Buffer>();

export function rpcHeaders(scope: RequestScope | undefined, span: Span | undefined): RpcHeaders {
  const { traceparent = '', tracestate = '' } = traceHeaders(span ?? scope?.span);
  return {
    requestId: headerText(scope?.requestId ?? randomUUID()),
    traceparent,
    tracestate,
    caller: scope?.caller === undefined ? nobody : encodeCaller(scope.caller),
    clientIp: headerText(scope?.clientIp ?? ''),
    idempotencyKey: headerText(scope?.idempotencyKey ?? ''),
  };
}

export function toMetadata(headers: RpcHeaders): Metadata {
  const metadata = new Metadata();
  const set = (key: string, value: string | Buffer): void => {
    if (value.length > 0) metadata.set(key, value);
  };
  set(metadataKeys.requestId, headers.requestId);
  set(metadataKeys.traceparent, headers.traceparent);
  set(metadataKeys.tracestate, headers.tracestate);
  set(metadataKeys.caller, headers.caller);
  set(metadataKeys.clientIp, headers.clientIp);
  set(metadataKeys.idempotencyKey, headers.idempotencyKey);
  return metadata;
}

export function fromMetadata(metadata: Metadata): RpcHeaders {
  const [caller] = metadata.get(metadataKeys.caller);
  const text = (key: string): string => {
    const [value] = metadata.get(key);
    return typeof value === 'string' ? value : '';
  };
  return {
    requestId: text(metadataKeys.requestId),
    traceparent: text(metadataKeys.traceparent),
    tracestate: text(metadataKeys.tracestate),
    caller: Buffer.isBuffer(caller) ? caller : nobody,
    clientIp: text(metadataKeys.clientIp),
    idempotencyKey: text(metadataKeys.idempotencyKey),
  };
}

const printable = /^[\x20-\x7e]*$/;

/** gRPC refuses anything but printable ASCII in a header, and these texts may come from a client. */
function headerText(text: string): string {
  return printable.test(text)
    ? text
    : text.replace(/[^\x20-\x7e]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

function encodeCaller(caller: Caller): Buffer {
  let bytes = encodedCallers.get(caller);
  if (bytes === undefined) {
    bytes = Buffer.from(Caller.encode(caller).finish());
    encodedCallers.set(caller, bytes);
  }
  return bytes;
}

import { randomUUID } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import type { Span } from '@opentelemetry/api';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { RequestScope } from '../request-scope';
import { traceHeaders } from '../trace-context';
import { metadataKeys } from './metadata-keys';

// The gateway keeps the callers of live tokens, and each makes many calls.
const encodedCallers = new WeakMap<Caller, Buffer>();

/** What a request takes along to the next service. */
export function callMetadata(scope: RequestScope | undefined, span: Span | undefined): Metadata {
  const metadata = new Metadata();
  metadata.set(metadataKeys.requestId, headerText(scope?.requestId ?? randomUUID()));
  const { traceparent, tracestate } = traceHeaders(span ?? scope?.span);
  if (traceparent !== undefined) {
    metadata.set(metadataKeys.traceparent, traceparent);
  }
  if (tracestate !== undefined && tracestate !== '') {
    metadata.set(metadataKeys.tracestate, tracestate);
  }
  if (scope?.caller !== undefined) {
    metadata.set(metadataKeys.caller, encodeCaller(scope.caller));
  }
  if (scope?.clientIp !== undefined) {
    metadata.set(metadataKeys.clientIp, headerText(scope.clientIp));
  }
  if (scope?.idempotencyKey !== undefined) {
    metadata.set(metadataKeys.idempotencyKey, headerText(scope.idempotencyKey));
  }
  return metadata;
}

/** gRPC refuses anything but printable ASCII in a header, and these texts may come from a client. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

function encodeCaller(caller: Caller): Buffer {
  let bytes = encodedCallers.get(caller);
  if (bytes === undefined) {
    bytes = Buffer.from(Caller.encode(caller).finish());
    encodedCallers.set(caller, bytes);
  }
  return bytes;
}

import { randomUUID } from 'node:crypto';
import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import { SpanKind } from '@opentelemetry/api';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Logger } from '../logging';
import type { Telemetry } from '../telemetry';
import { contextFromHeaders } from '../trace-context';
import { metadataKeys } from './metadata-keys';
import type { CallContext } from './handler';

const spanOptions = { kind: SpanKind.SERVER, attributes: { 'rpc.system': 'grpc' } };

interface IncomingCall {
  rpc: string;
  call: ServerUnaryCall<unknown, unknown>;
  signal: AbortSignal;
  log: Logger;
  telemetry: Telemetry;
}

/** What callMetadata() sent along, on the other side. Never throws: outside of a handler nobody would catch it. */
export function readCallContext({ rpc, call, signal, log, telemetry }: IncomingCall): CallContext {
  const { metadata } = call;
  const deadline = call.getDeadline();
  const parent = contextFromHeaders({
    traceparent: text(metadata, metadataKeys.traceparent),
    tracestate: text(metadata, metadataKeys.tracestate),
  });
  return {
    requestId: text(metadata, metadataKeys.requestId) ?? randomUUID(),
    signal,
    deadline: deadline === Infinity ? undefined : new Date(deadline),
    caller: readCaller(metadata, log),
    clientIp: text(metadata, metadataKeys.clientIp),
    idempotencyKey: text(metadata, metadataKeys.idempotencyKey),
    span: telemetry.tracer.startSpan(rpc, spanOptions, parent),
    rpc,
    log,
  };
}

function text(metadata: Metadata, key: string): string | undefined {
  const [value] = metadata.get(key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A caller that cannot be read is nobody. */
function readCaller(metadata: Metadata, log: Logger): Caller | undefined {
  const [bytes] = metadata.get(metadataKeys.caller);
  if (!Buffer.isBuffer(bytes)) {
    return undefined;
  }
  try {
    return Caller.decode(bytes);
  } catch (error) {
    log.warn({ err: error }, 'the caller of a call could not be read');
    return undefined;
  }
}

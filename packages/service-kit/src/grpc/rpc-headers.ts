import { randomUUID } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import { SpanKind } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { StreamedRpc } from '@sabia/protos/sabia/api/v1/rpc_stream';
import type { Logger } from '../logging';
import type { RequestScope } from '../request-scope';
import type { Telemetry } from '../telemetry';
import { contextFromHeaders, traceHeaders } from '../trace-context';
import type { RpcContext } from './handler';

export const metadataKeys = {
  requestId: 'x-request-id',
  caller: 'sabia-caller-bin',
  clientIp: 'sabia-client-ip',
  idempotencyKey: 'idempotency-key',
  replayed: 'idempotent-replayed',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  statusDetails: 'grpc-status-details-bin',
} as const;

/** The part of a request's scope that is sent to the next service; an empty value means an absent one. */
export type RpcHeaders = Pick<
  StreamedRpc,
  'requestId' | 'traceparent' | 'tracestate' | 'caller' | 'clientIp' | 'idempotencyKey'
>;

const noCaller = Buffer.alloc(0);

export function rpcHeaders(scope: RequestScope | undefined, span: Span | undefined): RpcHeaders {
  const { traceparent = '', tracestate = '' } = traceHeaders(span ?? scope?.span);
  return {
    requestId: headerText(scope?.requestId ?? randomUUID()),
    traceparent,
    tracestate,
    caller: scope?.caller === undefined ? noCaller : Buffer.from(Caller.encode(scope.caller).finish()),
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
    caller: Buffer.isBuffer(caller) ? caller : noCaller,
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

const spanOptions = { kind: SpanKind.SERVER, attributes: { 'rpc.system': 'grpc' } };

interface ReceivedRpc {
  rpc: string;
  headers: RpcHeaders;
  deadline: Date | undefined;
  signal: AbortSignal;
  log: Logger;
  telemetry: Telemetry;
}

/** The server's counterpart of rpcHeaders(). Never throws: it runs outside the handler, where errors are not caught. */
export function readRpcContext({ rpc, headers, deadline, signal, log, telemetry }: ReceivedRpc): RpcContext {
  return {
    requestId: headers.requestId || randomUUID(),
    signal,
    deadline,
    caller: readCaller(headers.caller, log),
    clientIp: headers.clientIp || undefined,
    idempotencyKey: headers.idempotencyKey || undefined,
    span: telemetry.tracer.startSpan(rpc, spanOptions, contextFromHeaders(headers)),
    rpc,
    log,
  };
}

/** A caller that cannot be decoded counts as absent, so that the RPC is not authenticated. */
function readCaller(bytes: Buffer, log: Logger): Caller | undefined {
  if (bytes.length === 0) {
    return undefined;
  }
  try {
    return Caller.decode(bytes);
  } catch (error) {
    log.warn({ err: error }, 'the caller of an RPC could not be decoded');
    return undefined;
  }
}

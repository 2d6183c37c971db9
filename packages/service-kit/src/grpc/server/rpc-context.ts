import { randomUUID } from 'node:crypto';
import { SpanKind } from '@opentelemetry/api';
import { Caller } from '@sabia/protos/sabia/api/v1/caller';
import type { Logger } from '../../logging';
import type { Telemetry } from '../../telemetry';
import { contextFromHeaders } from '../../trace-context';
import type { RpcHeaders } from '../rpc-headers';
import type { RpcContext } from '../handler';

const spanOptions = { kind: SpanKind.SERVER, attributes: { 'rpc.system': 'grpc' } };

interface IncomingRpc {
  rpc: string;
  headers: RpcHeaders;
  deadline: Date | undefined;
  signal: AbortSignal;
  log: Logger;
  telemetry: Telemetry;
}

/** What rpcHeaders() sent along, on the other side. Never throws: outside of a handler nobody would catch it. */
export function readRpcContext({ rpc, headers, deadline, signal, log, telemetry }: IncomingRpc): RpcContext {
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

/** A caller that cannot be read is nobody. */
function readCaller(bytes: Buffer, log: Logger): Caller | undefined {
  if (bytes.length === 0) {
    return undefined;
  }
  try {
    return Caller.decode(bytes);
  } catch (error) {
    log.warn({ err: error }, 'the caller of a call could not be read');
    return undefined;
  }
}

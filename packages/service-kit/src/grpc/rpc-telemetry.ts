import { status } from '@grpc/grpc-js';
import { SpanStatusCode } from '@opentelemetry/api';
import type { Meter, Span } from '@opentelemetry/api';

export interface RpcHistogram {
  record(seconds: number, rpc: string, code: status): void;
}

const BOUNDARIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** sabia_rpc_server_duration_seconds and sabia_rpc_client_duration_seconds, by RPC and status code. */
export function rpcHistogram(meter: Meter, side: 'server' | 'client'): RpcHistogram {
  const histogram = meter.createHistogram(`sabia_rpc_${side}_duration_seconds`, {
    description: `Duration of rpcs, ${side} side`,
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  return {
    record: (seconds, rpc, code) => histogram.record(seconds, { rpc, code: status[code] ?? 'UNKNOWN' }),
  };
}

export function endRpcSpan(span: Span | undefined, code: status): void {
  if (span === undefined) {
    return;
  }
  span.setAttribute('rpc.grpc.status_code', code);
  if (code !== status.OK) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: status[code] });
  }
  span.end();
}

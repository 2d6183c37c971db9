import { status } from '@grpc/grpc-js';
import type { Attributes, Meter } from '@opentelemetry/api';

export interface RpcHistogram {
  record(seconds: number, rpc: string, code: status): void;
}

const BOUNDARIES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** sabia_rpc_server_duration_seconds and sabia_rpc_client_duration_seconds, by rpc and status code. */
export function rpcHistogram(meter: Meter, side: 'server' | 'client'): RpcHistogram {
  const histogram = meter.createHistogram(`sabia_rpc_${side}_duration_seconds`, {
    description: `Duration of rpcs, ${side} side`,
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const attributes = new Map<string, Attributes[]>();

  return {
    record(seconds, rpc, code) {
      let byCode = attributes.get(rpc);
      if (byCode === undefined) {
        byCode = [];
        attributes.set(rpc, byCode);
      }
      histogram.record(seconds, (byCode[code] ??= { rpc, code: status[code] ?? 'UNKNOWN' }));
    },
  };
}

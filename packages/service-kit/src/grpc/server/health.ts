import { status } from '@grpc/grpc-js';
import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { healthDefinition } from './health-definition';
import type { HealthRequest, HealthResponse, HealthStatus } from './health-definition';

type Watcher = ServerWritableStream<HealthRequest, HealthResponse>;

export { healthDefinition };

export interface Health {
  addTo(server: Server): void;
  set(name: string, serving: boolean): void;
  /** Everything is NOT_SERVING from now on and open watches end, since they would hold the server open for ever. */
  close(): void;
}

/** grpc.health.v1.Health. Until somebody has said that a name is serving, it is not. */
export function createHealth(): Health {
  const statuses = new Map<string, HealthStatus>([['', 'NOT_SERVING']]);
  const watchers = new Map<Watcher, string>();
  let closed = false;

  function set(name: string, next: HealthStatus): void {
    if (statuses.get(name) === next) {
      return;
    }
    statuses.set(name, next);
    for (const [call, watched] of watchers) {
      if (watched === name) {
        call.write({ status: next });
      }
    }
  }

  const implementation = {
    Check(call: ServerUnaryCall<HealthRequest, HealthResponse>, callback: sendUnaryData<HealthResponse>): void {
      const found = statuses.get(call.request.service);
      if (found === undefined) {
        callback({ code: status.NOT_FOUND, details: 'unknown service' });
      } else {
        callback(null, { status: found });
      }
    },
    Watch(call: Watcher): void {
      call.write({ status: statuses.get(call.request.service) ?? 'SERVICE_UNKNOWN' });
      if (closed) {
        call.end();
        return;
      }
      watchers.set(call, call.request.service);
      call.on('cancelled', () => watchers.delete(call));
    },
  };

  return {
    addTo(server) {
      server.addService(healthDefinition, implementation);
    },
    set(name, serving) {
      set(name, serving && !closed ? 'SERVING' : 'NOT_SERVING');
    },
    close() {
      closed = true;
      for (const name of statuses.keys()) {
        set(name, 'NOT_SERVING');
      }
      for (const call of watchers.keys()) {
        call.end();
      }
      watchers.clear();
    },
  };
}

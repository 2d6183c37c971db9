import { status } from '@grpc/grpc-js';
import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { HealthCheckResponse_ServingStatus as ServingStatus, HealthService } from '@sabia/protos/grpc/health/v1/health';
import type { HealthCheckRequest, HealthCheckResponse } from '@sabia/protos/grpc/health/v1/health';

type Watcher = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

export interface Health {
  addTo(server: Server): void;
  set(name: string, serving: boolean): void;
  /** Reports NOT_SERVING for every name from now on, and ends open watches, which would keep the server from stopping. */
  close(): void;
}

/** grpc.health.v1.Health. A name is NOT_SERVING until it is set to serving. */
export function createHealth(): Health {
  const statuses = new Map([['', ServingStatus.NOT_SERVING]]);
  const watchers = new Map<Watcher, string>();
  let closed = false;

  function set(name: string, next: ServingStatus): void {
    if (statuses.get(name) === next) {
      return;
    }
    statuses.set(name, next);
    for (const [watcher, watched] of watchers) {
      if (watched === name) {
        watcher.write({ status: next });
      }
    }
  }

  const implementation = {
    check(
      { request }: ServerUnaryCall<HealthCheckRequest, HealthCheckResponse>,
      callback: sendUnaryData<HealthCheckResponse>,
    ): void {
      const found = statuses.get(request.service);
      if (found === undefined) {
        callback({ code: status.NOT_FOUND, details: 'unknown service' });
      } else {
        callback(null, { status: found });
      }
    },
    watch(watcher: Watcher): void {
      const { service } = watcher.request;
      watcher.write({ status: statuses.get(service) ?? ServingStatus.SERVICE_UNKNOWN });
      if (closed) {
        watcher.end();
        return;
      }
      watchers.set(watcher, service);
      watcher.on('cancelled', () => watchers.delete(watcher));
    },
  };

  return {
    addTo(server) {
      server.addService(HealthService, implementation);
    },
    set(name, serving) {
      set(name, serving && !closed ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    },
    close() {
      closed = true;
      for (const name of statuses.keys()) {
        set(name, ServingStatus.NOT_SERVING);
      }
      for (const watcher of watchers.keys()) {
        watcher.end();
      }
      watchers.clear();
    },
  };
}

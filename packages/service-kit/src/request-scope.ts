import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '@opentelemetry/api';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';

/** What belongs to one request and travels with it through every await, into every query and every call onwards. */
export interface RequestScope {
  requestId: string;
  /** Aborts when the client has gone or the deadline has passed; its reason is a TransportError. */
  signal: AbortSignal;
  deadline?: Date;
  caller?: Caller;
  clientIp?: string;
  idempotencyKey?: string;
  /** The span that children hang on; not recording when traces are off, but it always names the trace. */
  span?: Span;
  /** The rpc being served, e.g. "sabia.identity.v1.IdentityService/Login". */
  rpc?: string;
}

const storage = new AsyncLocalStorage<RequestScope>();

export function runInScope<T>(scope: RequestScope, fn: () => T): T {
  return storage.run(scope, fn);
}

export function currentScope(): RequestScope | undefined {
  return storage.getStore();
}

/** For work that outlives the request that caused it: no deadline, no cancellation, no caller. */
export function leaveScope<T>(fn: () => T): T {
  return storage.exit(fn);
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '@opentelemetry/api';
import type { Caller } from '@sabia/protos/sabia/api/v1/caller';

/** The data of one request; it is available after every await, in every query and in every RPC to another service. */
export interface RequestScope {
  requestId: string;
  /** Aborts, with a TransportError, when the client has gone or the deadline has passed. */
  signal: AbortSignal;
  deadline?: Date;
  caller?: Caller;
  clientIp?: string;
  idempotencyKey?: string;
  /** The parent of further spans; it has a trace id even when traces are not recorded. */
  span?: Span;
  /** The RPC being served, e.g. "sabia.identity.v1.IdentityService/Login". */
  rpc?: string;
}

const storage = new AsyncLocalStorage<RequestScope>();

export function runInScope<T>(scope: RequestScope, fn: () => T): T {
  return storage.run(scope, fn);
}

export function currentScope(): RequestScope | undefined {
  return storage.getStore();
}

/** Runs work that other requests wait for as well: in the trace of this one, without its deadline, cancellation and caller. */
export function runShared<T>(fn: () => T): T {
  const scope = storage.getStore();
  return scope === undefined
    ? fn()
    : storage.run({ requestId: scope.requestId, span: scope.span, signal: new AbortController().signal }, fn);
}

/** Runs work that outlives the request: without its deadline, cancellation and caller. */
export function leaveScope<T>(fn: () => T): T {
  return storage.exit(fn);
}

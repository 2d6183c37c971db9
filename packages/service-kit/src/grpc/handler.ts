import type { Caller, Operator } from '@sabia/protos/sabia/api/v1/caller';
import { denied, unauthenticated } from '../errors';
import type { Logger } from '../logging';
import type { RequestScope } from '../request-scope';
import type { RequestOf, ResponseOf } from './definition';

export interface RpcContext extends RequestScope {
  log: Logger;
  /** Set by a handler that repeats the response of an earlier request with the same idempotency key; the client is told. */
  replayed?: boolean;
}

/** A response that encoded() has wrapped; the server sends its bytes unchanged. */
export class Encoded {
  constructor(readonly bytes: Buffer) {}
}

/** For a handler whose response is already encoded. */
export const encoded = <Response>(bytes: Buffer): Response => new Encoded(bytes) as Response;

export type Handler<Request, Response> = (request: Request, context: RpcContext) => Promise<Response>;

/** One function per RPC; an RPC without one answers UNIMPLEMENTED. */
export type Handlers<Definition> = {
  [Method in keyof Definition]?: Handler<RequestOf<Definition[Method]>, ResponseOf<Definition[Method]>>;
};

export function requireCaller(context: RequestScope): Caller {
  if (context.caller === undefined) {
    throw unauthenticated();
  }
  return context.caller;
}

/** For rpcs of the operator's port. The gateway checks this as well, but a service does not rely on being called only through it. */
export function requireOperator(context: RequestScope): Operator {
  const { operator } = requireCaller(context);
  if (operator === undefined) {
    throw denied();
  }
  return operator;
}

import type { Caller } from '@sabia/protos/sabia/api/v1/caller';
import { unauthenticated } from '../errors';
import type { Logger } from '../logging';
import type { RequestScope } from '../request-scope';
import type { RequestOf, ResponseOf } from './definition';

export interface CallContext extends RequestScope {
  log: Logger;
  /** Set by a handler whose answer is that of an earlier request with the same idempotency key; whoever called hears of it. */
  replayed?: boolean;
}

/** A response message that is on the wire already. */
export class Encoded {
  constructor(readonly bytes: Buffer) {}
}

export type Handler<Request, Response> = (request: Request, context: CallContext) => Promise<Response | Encoded>;

/** One function per rpc; an rpc without one answers UNIMPLEMENTED. */
export type Handlers<Definition> = {
  [Method in keyof Definition]?: Handler<RequestOf<Definition[Method]>, ResponseOf<Definition[Method]>>;
};

export function requireCaller(context: RequestScope): Caller {
  if (context.caller === undefined) {
    throw unauthenticated();
  }
  return context.caller;
}

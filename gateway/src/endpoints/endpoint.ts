import type { RateLimitClass } from '../contract/rate-limit-classes';
import type { Access } from '../contract/routes';
import type { Exchange } from '../http/exchange';
import type { HttpResponse } from '../http/response';
import type { Routable } from '../http/router';

/** Serves one method of one path: a route of the protos, or one of the few written by hand. */
export interface Endpoint extends Routable {
  template: string;
  /** The resource that errors name. */
  model: string;
  access: Access;
  rateLimit: RateLimitClass;
  /** Sent with every response of this endpoint, errors included. */
  headers: Readonly<Record<string, string>>;
  respond(exchange: Exchange, parameters: string[]): Promise<HttpResponse>;
}

import type { RateLimitClass } from '../contract/rate-limit-classes';
import type { Access, Route } from '../contract/routes';
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

/** What an endpoint has from the route that it serves. */
export const headOf = ({ method, segments, template, model, access, rateLimit }: Route): Omit<Endpoint, 'respond'> => ({
  ...{ method, segments, template, model, access, rateLimit },
  headers: {},
});

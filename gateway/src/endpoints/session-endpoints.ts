import { CreateSessionResponse } from '@sabia/protos/sabia/identity/v1/messages';
import type { ConsoleCookie } from '../access/console-cookie';
import type { OwnPages } from '../access/own-pages';
import type { SendRpc } from '../clients/service-clients';
import type { Route } from '../contract/routes';
import { compileRequest } from '../transcoder/request/request-transcoder';
import { compileResponse } from '../transcoder/response/response-transcoder';
import type { ResponseOptions } from '../transcoder/response/response-transcoder';
import { headOf } from './endpoint';
import type { Endpoint } from './endpoint';

/** A login to the console: the token of the response goes into the cookie and nowhere else. */
export function createLoginEndpoint(
  route: Route,
  createSession: SendRpc,
  { cookie, ownPages }: { cookie: ConsoleCookie; ownPages: OwnPages },
  responseOptions: ResponseOptions,
): Endpoint {
  const encode = compileRequest(route);
  const write = compileResponse(route, responseOptions);
  return {
    ...headOf(route),
    async respond(exchange, parameters) {
      // Otherwise another site could log a person in to an account of its own.
      ownPages.require(exchange);
      const body = await exchange.body();
      const { bytes: request } = encode({ parameters, query: () => exchange.query(), body });
      const response = await createSession(request, exchange.scope());
      return {
        status: route.successStatus,
        body: write(response),
        headers: { 'set-cookie': cookie.begin(CreateSessionResponse.decode(response)) },
      };
    },
  };
}

/** The end of a session: the browser forgets the cookie as well. */
export function createLogoutEndpoint(endpoint: Endpoint, cookie: ConsoleCookie): Endpoint {
  return {
    ...endpoint,
    async respond(exchange, parameters) {
      const response = await endpoint.respond(exchange, parameters);
      return { ...response, headers: { ...response.headers, 'set-cookie': cookie.end } };
    },
  };
}

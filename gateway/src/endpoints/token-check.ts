import type { Endpoint } from './endpoint';
import type { Authenticator } from '../access/authenticate';
import { parseTemplate } from '../contract/http-rule';

const template = '/api/v1/users/accessTokens';

/** HEAD /users/accessTokens tells whether the token is live. google.api.http has no HEAD, so no rpc can declare it. */
export function createTokenCheck(authenticator: Authenticator): Endpoint {
  return {
    method: 'HEAD',
    segments: parseTemplate(template),
    template,
    model: 'accessToken',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async respond(exchange) {
      const session = await authenticator.sessionOf(exchange);
      return { status: session.state === 'live' ? 200 : 404 };
    },
  };
}

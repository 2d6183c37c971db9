import type { Endpoint } from '../api';
import type { Authenticator } from '../access/authenticate';
import { parseTemplate } from '../contract/http-rule';

const template = '/api/v1/users/accessTokens';

/** HEAD /users/accessTokens tells whether the token is live. gRPC has no HEAD, so this is written by hand. */
export function createTokenCheck(authenticator: Authenticator): Endpoint {
  return {
    method: 'HEAD',
    segments: parseTemplate(template),
    template,
    model: 'accessToken',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async answer(exchange) {
      const session = await authenticator.sessionOf(exchange);
      return { status: session.state === 'live' ? 200 : 404 };
    },
  };
}

import type { Access } from '../contract/routes';
import type { Say } from './texts';

/** Any one of these will do. */
const schemes = ['token', 'bearer', 'accessTokenHeader', 'accessTokenQuery', 'session'];

const schemesOfOperators = ['token', 'bearer'];

export const securityOf = (access: Access): Record<string, string[]>[] =>
  access === 'PUBLIC' ? [] : (access === 'OPERATOR' ? schemesOfOperators : schemes).map((name) => ({ [name]: [] }));

export const securitySchemes = (say: Say): Record<string, object> => ({
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: say('The access token as it is, without a word before it.'),
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: say('The access token after the word Bearer.'),
  },
  accessTokenHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Access-Token',
    description: say('The access token in a header of its own.'),
  },
  accessTokenQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'access_token',
    description: say(
      'The access token in the address. Addresses end up in logs, so prefer a header; the operator may have switched this off.',
    ),
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sabia_session',
    description: say(
      'The session of a person in the console, begun with POST /session. With TLS the cookie is called __Host-sabia_session. It works from pages of the gateway itself only, and requests that change something need the header `X-Sabia-Console: 1`.',
    ),
  },
});

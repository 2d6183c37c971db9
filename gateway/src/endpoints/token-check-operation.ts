import type { DocumentPart } from '../openapi/document';
import { errorsOfAdmission, rateLimitOf } from '../openapi/operation';
import { headerReferences, successHeaders } from '../openapi/response-headers';
import { securityOf } from '../openapi/security';

/** HEAD /users/accessTokens for the OpenAPI document. */
export const tokenCheckPart: DocumentPart = (builder) => {
  const { say, errors } = builder;
  const admitted = { access: 'PUBLIC', rateLimit: 'OTHER' } as const;
  const headers = headerReferences(successHeaders);
  return {
    paths: {
      '/api/v1/users/accessTokens': {
        head: {
          operationId: 'checkAccessToken',
          summary: say('Tells whether an access token is live.'),
          description: [
            say('The token to check is sent as with any other request. There is no body, neither for yes nor for no.'),
            builder.admission(admitted),
          ].join('\n\n'),
          tags: ['access tokens'],
          security: [...securityOf('TOKEN'), {}],
          parameters: [],
          responses: {
            200: { description: say('The token is live.'), headers },
            404: { description: say('The token is unknown, has expired or was revoked, or there is none.'), headers },
            ...errors.of(errorsOfAdmission(admitted)),
          },
          'x-rate-limit': rateLimitOf(admitted, builder),
        },
      },
    },
  };
};

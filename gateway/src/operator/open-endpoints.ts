import { parseTemplate } from '../contract/http-rule';
import type { Route } from '../contract/routes';
import type { Endpoint } from '../endpoints/endpoint';
import type { Exchange } from '../http/exchange';
import type { HttpResponse } from '../http/response';
import type { Limits } from '../limits/allowance';
import { openApiDocument } from '../openapi/document';
import { serveDocument } from '../openapi/served-document';

/** What the operator's port serves to everybody who reaches it: whether it is there, and what it can do. */
export function createOpenEndpoints(routes: Route[], options: { publicUrl: string; limits: Limits }): Endpoint[] {
  const serve = serveDocument(() => {
    const document = openApiDocument(routes, options);
    return {
      ...document,
      info: {
        ...document.info,
        title: 'Sabiá, for operators',
        summary: 'What those who run the platform do.',
        description:
          'Accounts, credit, rates, numbers, dead letters, and the audit log of all of it. ' +
          'Send the token of an operator in the Authorization header. The tokens of accounts are refused here.',
      },
    };
  });
  return [
    openEndpoint('/openapi.json', ({ request }) => serve(request.headers['accept-encoding'])),
    openEndpoint('/healthz', () => ({ status: 200, body: '{"status":"alive"}' })),
  ];
}

const openEndpoint = (template: string, respond: (exchange: Exchange) => HttpResponse): Endpoint => ({
  method: 'GET',
  segments: parseTemplate(template),
  template,
  model: 'page',
  access: 'PUBLIC',
  rateLimit: 'OPERATOR',
  headers: {},
  respond: (exchange) => Promise.resolve(respond(exchange)),
});

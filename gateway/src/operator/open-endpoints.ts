import { parseTemplate } from '../contract/http-rule';
import type { Route } from '../contract/routes';
import type { Endpoint } from '../endpoints/endpoint';
import type { HttpResponse } from '../http/response';
import type { Limits } from '../limits/allowance';
import { openApiDocument } from '../openapi/document';

/** What the operator's port serves to everybody who reaches it: whether it is there, and what it can do. */
export function createOpenEndpoints(routes: Route[], options: { publicUrl: string; limits: Limits }): Endpoint[] {
  const document = openApiDocument(routes, options);
  const text = JSON.stringify({
    ...document,
    info: {
      ...document.info,
      title: 'Sabiá, for operators',
      description:
        'What those who run the platform do: accounts, credit, rates, numbers, dead letters, and the audit log of all of it. ' +
        'Send the token of an operator in the Authorization header. The tokens of accounts are refused here.',
    },
  });
  return [
    openEndpoint('/openapi.json', { status: 200, body: text }),
    openEndpoint('/healthz', { status: 200, body: '{"status":"alive"}' }),
  ];
}

const openEndpoint = (template: string, response: HttpResponse): Endpoint => ({
  method: 'GET',
  segments: parseTemplate(template),
  template,
  model: 'page',
  access: 'PUBLIC',
  rateLimit: 'OPERATOR',
  headers: {},
  respond: () => Promise.resolve(response),
});

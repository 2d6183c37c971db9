import type { Endpoint } from '../endpoints/endpoint';
import type { HttpResponse } from '../http/response';
import { parseTemplate } from '../contract/http-rule';

/** A page with a form; the form sends its fields by POST to the same path. */
export function createFormPage(template: string, draw: (token: string) => HttpResponse): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate(template),
    template,
    model: 'user',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    respond(exchange) {
      const { token } = exchange.query();
      return Promise.resolve(draw(typeof token === 'string' ? token : ''));
    },
  };
}

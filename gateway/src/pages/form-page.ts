import type { Endpoint } from '../api';
import type { Answer } from '../http/response';
import { parseTemplate } from '../contract/http-rule';

/** The page at a path that takes what its form sends by POST. */
export function createFormPage(template: string, draw: (token: string) => Answer): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate(template),
    template,
    model: 'user',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    answer(exchange) {
      const { token } = exchange.query();
      return Promise.resolve(draw(typeof token === 'string' ? token : ''));
    },
  };
}

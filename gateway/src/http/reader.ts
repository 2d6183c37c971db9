import { preferredLanguage } from '@sabia/service-kit/brand/language';
import type { Language } from '@sabia/service-kit/brand/language';
import type { Exchange } from './exchange';

type Request = Pick<Exchange, 'method' | 'request'>;

/**
 * Whether a person reads the response in a browser: one that shows a page or sends a form, and prefers HTML. Programs get
 * JSON, also those that ask for HTML by the default of their library: they send a token.
 */
export function wantsPage({ method, request: { headers } }: Request): boolean {
  const shows = method === 'GET' || method === 'HEAD' || (method === 'POST' && isForm(headers['content-type']));
  const hasToken = headers.authorization !== undefined || headers['x-access-token'] !== undefined;
  return shows && !hasToken && prefersHtml(headers.accept);
}

export const languageOf = ({ request }: Pick<Exchange, 'request'>): Language =>
  preferredLanguage(request.headers['accept-language']);

const isForm = (contentType = ''): boolean => /^\s*application\/x-www-form-urlencoded/i.test(contentType);

function prefersHtml(accept = ''): boolean {
  const qualities = new Map<string, number>();
  for (const range of accept.slice(0, 1_000).split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    qualities.set(type, given === undefined ? 1 : Number(given));
  }
  const html = qualities.get('text/html') ?? 0;
  const other = qualities.get('application/json') ?? qualities.get('*/*') ?? 0;
  return html > 0 && html >= other;
}

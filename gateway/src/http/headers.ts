import { createHash } from 'node:crypto';
import type { HeaderList } from './response';

/** On every response. CORS is open to tokens, which the caller sets in a header; "*" never opens it to cookies. */
const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id, Idempotent-Replayed, Deprecation, Link, Accept-Ranges, Content-Range',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** API responses hold private data and are never documents. */
export const apiHeaders: HeaderList = listOf({
  ...commonHeaders,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
});

/** Pages load nothing. Their own style sheet and script are inside them and allowed by their hashes, nothing else is. */
export function pageHeaders(html: string, { personal = false, forms = false } = {}): HeaderList {
  const style = /<style>([^]*?)<\/style>/.exec(html)?.[1];
  // The last one: a page ends with its script, so one that was smuggled into a text before it does not run.
  const script = /<script>([^]*)<\/script>/.exec(html.slice(Math.max(0, html.lastIndexOf('<script>'))))?.[1];
  const policy = [
    "default-src 'none'",
    ...(style === undefined ? [] : [`style-src ${sourceOf(style)}`]),
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`]),
    'img-src data:',
    "base-uri 'none'",
    `form-action ${forms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join('; ');
  return listOf({
    ...commonHeaders,
    'cache-control': personal ? 'no-store' : 'no-cache',
    'content-security-policy': policy,
  });
}

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** For what is served beside the pages and is no document, such as the state of the gateway. */
export const plainHeaders: HeaderList = listOf({
  ...commonHeaders,
  'cache-control': 'no-cache',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
});

/** The console loads its own files only, and talks to its own origin only. */
export const consoleHeaders: HeaderList = ownFilesHeaders("style-src 'self'");

/** The same for the reference, but Scalar sets style attributes and style sheets by script, which no hash can allow. */
export const referenceHeaders: HeaderList = [
  ...ownFilesHeaders("style-src 'self' 'unsafe-inline'"),
  ...['cache-control', 'no-cache'],
];

function ownFilesHeaders(styles: string): HeaderList {
  return listOf({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'microphone=(self), speaker-selection=(self), camera=(), geolocation=()',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      styles,
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "media-src 'self' blob:",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
  });
}

function listOf(headers: Record<string, string>): HeaderList {
  return Object.entries(headers).flat();
}

const requestedHeaders = /^[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,1000}$/;

export function preflightHeaders(requested: string | undefined): Record<string, string> {
  return {
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers':
      requested !== undefined && requestedHeaders.test(requested)
        ? requested
        : 'Authorization, Content-Type, X-Access-Token, X-Request-Id, Idempotency-Key, If-None-Match',
    'access-control-max-age': '86400',
    vary: 'Access-Control-Request-Headers',
  };
}

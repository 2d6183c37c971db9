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

/** Pages contain their style sheet and load nothing. */
const pagePolicy = (formAction = "'none'"): string =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;

export const pageHeaders: HeaderList = listOf({
  ...commonHeaders,
  'cache-control': 'no-cache',
  'content-security-policy': pagePolicy(),
});

/** The console loads its own files only, and talks to its own origin only. */
export const consoleHeaders: HeaderList = listOf({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'microphone=(self), speaker-selection=(self), camera=(), geolocation=()',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
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

/** For pages that belong to one person. `further` policy may allow a script by its hash. */
export function personalPageHeaders(further = '', formAction?: string): HeaderList {
  const policy = pagePolicy(formAction) + further;
  return listOf({ ...commonHeaders, 'cache-control': 'no-store', 'content-security-policy': policy });
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
        : 'Authorization, Content-Type, X-Access-Token, X-Request-Id, Idempotency-Key',
    'access-control-max-age': '86400',
    vary: 'Access-Control-Request-Headers',
  };
}

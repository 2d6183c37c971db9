import type { Say } from './texts';

const header = (type: string, description: string, example: unknown): object => ({
  description,
  schema: { type },
  example,
});

/** Headers that responses share. */
export const sharedHeaders = (say: Say): Record<string, object> => ({
  'RateLimit-Limit': header('integer', say('How many requests a minute are allowed.'), 60),
  'RateLimit-Remaining': header('integer', say('How many are left in this minute.'), 59),
  'RateLimit-Reset': header('integer', say('Seconds until the minute is over.'), 42),
  'Retry-After': header('integer', say('Seconds after which another try makes sense.'), 12),
  'X-Request-Id': header(
    'string',
    say('The id of this request: the one that the client sent in the same header, or a new one.'),
    '0f6b3c0e-8f43-4b0c-9a51-0a3f5f6f0d11',
  ),
  'Idempotent-Replayed': header(
    'string',
    say('`true`: an earlier request with the same Idempotency-Key had this answer, and nothing was done again.'),
    'true',
  ),
  Deprecation: header(
    'string',
    say('`true`: this route should no longer be used; Link names the one that replaces it.'),
    'true',
  ),
  Link: header(
    'string',
    say('The path that replaces this one, or that this one is an alias of.'),
    '</api/v1/calls>; rel="successor-version"',
  ),
});

export const headerReferences = (names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const successHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'X-Request-Id'];

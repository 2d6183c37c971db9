import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Exchange } from '../http/exchange';
import { createAuthenticator, hashToken, tokenOf } from './authenticate';
import { createTokenCache } from './token-cache';

test('random tokens of one address, all at once, are looked up no more often than it may guess', async () => {
  let lookups = 0;
  const cache = createTokenCache({
    lookup: async () => {
      lookups += 1;
      await new Promise(setImmediate);
      return { state: 'unknown' };
    },
    ttlMs: 10_000,
    maximum: 100,
    now: Date.now,
    lease: { held: true },
  });
  const { sessionOf } = createAuthenticator(cache, { allowQueryToken: false });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 400 }, (_, nth) =>
      sessionOf({ clientIp: '192.0.2.1', request: { headers: { authorization: `random${nth}` } } } as Exchange),
    ),
  );
  // Sixty, and the lookups that were under way when the sixtieth was answered.
  expect(lookups).toBeLessThan(80);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(400 - lookups);
});

const token = (headers: IncomingHttpHeaders, query: Record<string, unknown> = {}): string | undefined =>
  tokenOf({ headers }, () => query);

describe('the token of a request', () => {
  it.each<[IncomingHttpHeaders, Record<string, unknown>, string | undefined]>([
    [{ authorization: 'raw' }, {}, 'raw'],
    [{ authorization: 'Bearer b' }, {}, 'b'],
    [{ authorization: 'bearer   b ' }, {}, 'b'],
    [{ authorization: 'Bearer' }, { access_token: 'q' }, 'q'],
    [{ authorization: 'raw', 'x-access-token': 'x' }, { access_token: 'q' }, 'raw'],
    [{ 'x-access-token': 'x' }, { access_token: 'q' }, 'x'],
    [{}, { access_token: 'q' }, 'q'],
    [{}, { access_token: ['q', 'r'] }, undefined],
    [{ authorization: '' }, {}, undefined],
    [{ authorization: 'x'.repeat(2000) }, {}, undefined],
    [{}, {}, undefined],
  ])('%j %j', (headers, query, expected) => {
    expect(token(headers, query)).toBe(expected);
  });

  it('is not taken from the query when that is not allowed', () => {
    expect(tokenOf({ headers: {} }, undefined)).toBeUndefined();
  });

  it('is hashed with SHA-256', () => {
    expect(hashToken('x')).toBe(createHash('sha256').update('x').digest('hex'));
  });
});

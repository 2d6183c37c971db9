import type { Exchange } from '../http/exchange';
import { createAuthenticator } from './authenticate';
import { createTokenCache } from './token-cache';

test('random tokens of one address, all at once, are looked up no more often than it may guess', async () => {
  let lookups = 0;
  const cache = createTokenCache({
    lookup: async () => {
      lookups += 1;
      await new Promise(setImmediate);
      return { state: 'unknown' };
    },
    isUsable: () => true,
    ttlMs: 10_000,
    maximum: 100,
    now: Date.now,
  });
  const { sessionOf } = createAuthenticator(cache, { allowQueryToken: false });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 400 }, (_, nth) =>
      sessionOf({ clientIp: '192.0.2.1', request: { headers: { authorization: `random${nth}` } } } as Exchange),
    ),
  );
  // Sixty, and those that were under way when the sixtieth was answered.
  expect(lookups).toBeLessThan(80);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(400 - lookups);
});

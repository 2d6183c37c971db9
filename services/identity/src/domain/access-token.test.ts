import type { ServiceError } from '@sabia/service-kit/errors';
import { hashToken, mintAccessToken, readTtl } from './access-token';

const now = new Date('2026-01-01T00:00:00Z');

test('a token has 64 URL-safe characters, is kept as SHA-256 and is never the same', () => {
  const { token, row } = mintAccessToken(7, 60, now);
  expect(token).toMatch(/^[A-Za-z0-9_-]{64}$/);
  expect(row).toEqual({
    hash: hashToken(token),
    kind: 'api',
    prefix: token.slice(0, 8),
    userId: 7,
    ttl: 60,
    createdAt: now,
    expiresAt: new Date('2026-01-01T00:01:00Z'),
  });
  expect(row.hash).toHaveLength(32);
  expect(mintAccessToken(7, 60, now).token).not.toBe(token);
});

test('-1 never expires', () => {
  expect(mintAccessToken(7, -1, now).row.expiresAt).toBeNull();
});

test.each([
  [undefined, 1_209_600],
  [-1, -1],
  [1, 1],
  [3600.7, 3600],
  [31_536_000, 31_536_000],
  [31_536_001, 31_536_000],
  [1e300, 31_536_000],
])('ttl %p is read as %p', (value, expected) => {
  expect(readTtl(value)).toBe(expected);
});

test.each([0, 0.5, -2, -0.5, NaN, Infinity, -Infinity])('ttl %p is refused', (value) => {
  expect(() => readTtl(value)).toThrow(
    expect.objectContaining<Partial<ServiceError>>({
      code: 'VALIDATION_ERROR',
      violations: [expect.objectContaining({ field: 'ttl', code: 'range' })],
    }),
  );
});

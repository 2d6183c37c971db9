import { judge } from './outcome';
import type { Attempt } from './outcome';

const now = new Date('2026-01-31T12:00:00Z');
const half = () => 0.5;
const attempt = (fields: Partial<Attempt>): Attempt => ({ at: now, latencyMs: 1, ...fields });

test.each([200, 201, 204, 299])('%d is a success', (status) => {
  expect(judge(attempt({ status }), { failures: 3, test: false }, now)).toEqual({ status: 'delivered', gone: false });
});

test.each([199, 302, 400, 429, 500])('%d is tried again', (status) => {
  expect(judge(attempt({ status }), { failures: 0, test: false }, now, half)).toEqual({
    status: 'retrying',
    reason: `The receiver answered ${status}.`,
    dueAt: new Date('2026-01-31T12:00:05Z'),
    gone: false,
  });
});

test('Retry-After moves the next attempt', () => {
  const outcome = judge(attempt({ status: 429, retryAfterMs: 60_000 }), { failures: 0, test: false }, now, half);
  expect(outcome.dueAt).toEqual(new Date('2026-01-31T12:01:00Z'));
});

test('410 ends the delivery and disables the receiver', () => {
  expect(judge(attempt({ status: 410 }), { failures: 0, test: false }, now)).toMatchObject({
    status: 'dead',
    gone: true,
  });
});

test('the tenth failure is the last', () => {
  const error = 'The connection was refused.';
  expect(judge(attempt({ error }), { failures: 8, test: false }, now).status).toBe('retrying');
  expect(judge(attempt({ error }), { failures: 9, test: false }, now)).toEqual({
    status: 'dead',
    reason: `Given up after 10 attempts: ${error}`,
    gone: false,
  });
});

test('a sample is sent once and disables nothing', () => {
  expect(judge(attempt({ status: 500 }), { failures: 0, test: true }, now).status).toBe('dead');
  expect(judge(attempt({ status: 410 }), { failures: 0, test: true }, now).gone).toBe(false);
});

import { status } from '@grpc/grpc-js';
import { departureOf } from './departure';

describe('a client that has gone', () => {
  const deadline = new Date(1_000);

  it.each([
    ['long before its deadline', 900, status.CANCELLED],
    ['a moment before its deadline', 995, status.DEADLINE_EXCEEDED],
    ['after its deadline', 1_100, status.DEADLINE_EXCEEDED],
  ])('%s', (_when, now, code) => {
    expect(departureOf(deadline, now)[0]).toBe(code);
  });

  it('without a deadline', () => {
    expect(departureOf(undefined)[0]).toBe(status.CANCELLED);
  });
});

import type { IncomingMessage } from 'node:http';
import { requestIdOf } from './request-context';

const idOf = (given?: string): string =>
  requestIdOf({ headers: { 'x-request-id': given } } as unknown as IncomingMessage);
const uuid = /^[0-9a-f-]{36}$/;

describe('the request id', () => {
  it.each(['a', 'req-1.2:3/4=5@6', 'x'.repeat(128)])('takes over %.20s', (given) => {
    expect(idOf(given)).toBe(given);
  });

  it.each([undefined, '', 'x'.repeat(129), 'a b', 'a"b', 'a\nb', 'é', '<script>'])('replaces %j', (given) => {
    expect(idOf(given)).toMatch(uuid);
  });
});

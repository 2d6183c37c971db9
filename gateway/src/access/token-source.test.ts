import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { hashToken, tokenOf } from './token-source';

const token = (headers: IncomingHttpHeaders, query: Record<string, unknown> = {}): string | undefined =>
  tokenOf({ headers }, () => query);

describe('where the token is read', () => {
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

  it('leaves the query alone when that is not allowed', () => {
    expect(tokenOf({ headers: {} }, undefined)).toBeUndefined();
  });

  it('hashes with SHA-256', () => {
    expect(hashToken('x')).toBe(createHash('sha256').update('x').digest('hex'));
  });
});

import { createHash } from 'node:crypto';
import { fingerprintOf, namesOf, seal, unseal } from './store';

describe('idempotency records', () => {
  it('are named by user, route and key, and never by the key itself', () => {
    const names = [
      namesOf(1, 'POST /x', 'k'),
      namesOf(2, 'POST /x', 'k'),
      namesOf(1, 'POST /y', 'k'),
      namesOf(1, 'POST /x', 'l'),
      namesOf(1, 'POST /x","k', ''),
    ].map(({ record }) => record);
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toMatch(/^sabia:idempotency:[0-9a-f]{64}$/);
    expect(namesOf(1, 'POST /x', 'k').record).toBe(names[0]);
  });

  it('can be read with the key only', () => {
    const { secret } = namesOf(1, 'r', 'k');
    const sealed = seal({ status: 200, body: '{"senha":"geheim"}' }, secret);
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('geheim');
    expect(unseal(sealed, secret)).toEqual({ status: 200, body: '{"senha":"geheim"}' });
    expect(() => unseal(sealed, namesOf(1, 'r', 'l').secret)).toThrow();
  });

  it('keep responses without a body', () => {
    const { secret } = namesOf(1, 'r', 'k');
    expect(unseal(seal({ status: 204 }, secret), secret)).toEqual({ status: 204 });
  });

  it('tell requests apart by path and content', () => {
    const { secret } = namesOf(1, 'r', 'k');
    const fingerprint = (path: string, body: string): string => fingerprintOf(path, Buffer.from(body), secret);
    expect(fingerprint('/a', 'b')).toBe(fingerprint('/a', 'b'));
    expect(fingerprint('/a', 'b')).not.toBe(fingerprint('/a', 'c'));
    expect(fingerprint('/a', 'b')).not.toBe(fingerprint('/ab', ''));
  });

  it('do not reveal the content of a request to a reader who guesses it', () => {
    const body = Buffer.from('b');
    const fingerprint = fingerprintOf('/a', body, namesOf(1, 'r', 'k').secret);
    expect(fingerprint).not.toBe(fingerprintOf('/a', body, namesOf(1, 'r', 'l').secret));
    expect(fingerprint).not.toBe(createHash('sha256').update('/a').update('\0').update(body).digest('base64'));
  });
});

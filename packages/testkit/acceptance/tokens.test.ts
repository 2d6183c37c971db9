import type { User } from '@sabia/client';
import { eventually } from '../src/eventually';
import { createAdmin, createUser, type Person } from '../src/people';
import { expired, invalid, refusalOf, unauthorized, unknownId } from '../src/refusals';
import { isoTime, tokenText } from '../src/shapes';
import type { StackClient } from '../src/stack-client';
import { testStack } from '../src/test-stack';

interface Token {
  id: string;
  ttl: number;
  created: string;
  userId: number;
}

interface TokenSummary {
  prefix: string;
  ttl: number;
  created: string;
  lastUsed: string | null;
}

const year = 365 * 24 * 60 * 60;
const wrongTtl = ['range', 'must be a positive number of seconds, or -1 for a token that never expires'] satisfies [
  string,
  string,
];

describe('access tokens', () => {
  let person: Person;

  beforeAll(async () => {
    person = await createAdmin(testStack());
  });

  const mint = async (ttl?: unknown): Promise<Token> => {
    const answer = await person.api().post<Token>('/users/accessTokens', { ttl });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  };
  const withToken = (token: string): StackClient => person.api().withToken(token);
  const list = async (by = person.api()): Promise<TokenSummary[]> =>
    (await by.get<TokenSummary[]>('/users/accessTokens')).body;
  const login = (body: object, headers: Record<string, string> = {}) =>
    withToken('').post<Token>(
      '/users/login',
      { email: person.email, password: person.password, ...body },
      // As LoopBack clients do.
      { headers, query: { include: 'user' } },
    );
  /** Every gateway refuses the token immediately. */
  const isDead = async (token: string) => {
    for (const gatewayUrl of testStack().gatewayUrls) {
      const client = withToken(token).at(gatewayUrl);
      expect(refusalOf(await client.get('/users/me'))).toEqual(unauthorized);
      expect((await client.head('/users/accessTokens')).status).toBe(404);
    }
  };

  describe('POST /users/login', () => {
    it('answers a token, looks at no Authorization header and at no field it does not know', async () => {
      const answer = await login({ remember: true, id: 'x' }, { authorization: 'nonsense' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        id: expect.stringMatching(tokenText) as string,
        ttl: 1209600,
        created: expect.stringMatching(isoTime) as string,
        userId: person.id,
      });
      expect(answer.headers['cache-control']).toBe('no-store');
    });

    it('notes the time as lastLoginAt, which a further token does not touch', async () => {
      const { body: token } = await login({});
      const me = async () => (await person.api().get<User>('/users/me')).body.lastLoginAt;
      expect(await me()).toBe(token.created);
      await mint();
      expect(await me()).toBe(token.created);
    });

    it.each([{ email: undefined }, { email: '' }, { email: '  ' }, { password: undefined }, { password: '' }])(
      '%j lacks something',
      async (body) => {
        expect(refusalOf(await login(body))).toEqual({
          status: 400,
          name: 'BadRequestError',
          code: 'USERNAME_EMAIL_REQUIRED',
          message: 'email and password are required',
        });
      },
    );

    it('takes a ttl as the other route does', async () => {
      expect((await login({ ttl: '60' })).body.ttl).toBe(60);
      expect((await login({ ttl: -1 })).body.ttl).toBe(-1);
      expect(refusalOf(await login({ ttl: 0 }))).toEqual(invalid('accessToken', { ttl: wrongTtl }));
    });
  });

  describe('POST /users/accessTokens', () => {
    it.each([
      [undefined, 1209600],
      [null, 1209600],
      [60, 60],
      ['3600', 3600],
      [90.9, 90],
      [-1, -1],
      ['-1', -1],
      [year, year],
      [year + 1, year],
      [1e15, year],
    ])('ttl %j makes a token of %d seconds', async (ttl, seconds) => {
      expect(await mint(ttl)).toEqual({
        id: expect.stringMatching(tokenText) as string,
        ttl: seconds,
        created: expect.stringMatching(isoTime) as string,
        userId: person.id,
      });
    });

    it.each([0, -2, '-3', 0.5, -0.5])('ttl %j is out of range', async (ttl) => {
      expect(refusalOf(await person.api().post('/users/accessTokens', { ttl }))).toEqual(
        invalid('accessToken', { ttl: wrongTtl }),
      );
    });

    it.each(['soon', '', true, [], {}])('ttl %j is no number', async (ttl) => {
      expect(refusalOf(await person.api().post('/users/accessTokens', { ttl }))).toMatchObject({
        status: 422,
        code: 'VALIDATION_ERROR',
        details: { codes: { ttl: ['type'] }, messages: { ttl: ['must be a number'] } },
      });
    });

    it('no two tokens begin alike, and each works by itself', async () => {
      const tokens = await Promise.all(Array.from({ length: 20 }, () => mint(600)));
      expect(new Set(tokens.map(({ id }) => id.slice(0, 8))).size).toBe(20);
      for (const { id } of tokens) expect((await withToken(id).head('/users/accessTokens')).status).toBe(200);
    });
  });

  it('an expired token is distinguished from an unknown one', async () => {
    const { id } = await mint(1);
    expect((await withToken(id).head('/users/accessTokens')).status).toBe(200);
    for (const gatewayUrl of testStack().gatewayUrls) {
      const client = withToken(id).at(gatewayUrl);
      const refused = await eventually(async () => {
        const answer = await client.get('/users/me');
        return answer.status === 401 && answer;
      });
      expect(refusalOf(refused)).toEqual(expired);
      expect(await client.head('/users/accessTokens')).toMatchObject({ status: 404, text: '' });
    }
    expect((await list()).map(({ prefix }) => prefix)).not.toContain(id.slice(0, 8));
  });

  it('HEAD /users/accessTokens is 404 for an unknown token and for none', async () => {
    for (const client of [withToken('x'.repeat(64)), person.api().withToken(undefined)])
      expect(await client.head('/users/accessTokens')).toMatchObject({ status: 404, text: '' });
  });

  it('GET /users/accessTokens lists the own live ones, newest first, never a token itself', async () => {
    const other = await createUser(person);
    const [older, newer] = [await mint(60), await mint(-1)];
    const answer = await person.api().get<TokenSummary[]>('/users/accessTokens');
    expect(answer.status).toBe(200);
    const of = ({ id }: Token) => answer.body.findIndex(({ prefix }) => prefix === id.slice(0, 8));
    expect(answer.body[of(newer)]).toEqual({
      prefix: newer.id.slice(0, 8),
      ttl: -1,
      created: newer.created,
      lastUsed: null,
    });
    expect(of(newer)).toBeLessThan(of(older));
    expect(answer.text).not.toContain(newer.id.slice(0, 9));
    expect((await list(other.api())).map(({ prefix }) => prefix)).toEqual([other.token.slice(0, 8)]);
  });

  it('the last use of a token is noted soon after', async () => {
    const { id, created } = await mint(600);
    const usedFrom = Date.now();
    await withToken(id).get('/users/me');
    const lastUsed = await eventually(
      async () => (await list()).find(({ prefix }) => prefix === id.slice(0, 8))?.lastUsed ?? undefined,
    );
    expect(lastUsed).toMatch(isoTime);
    expect(Date.parse(lastUsed)).toBeGreaterThanOrEqual(Date.parse(created));
    expect(Date.parse(lastUsed) - usedFrom).toBeLessThan(60_000);
  });

  it('DELETE /users/accessTokens/{prefix} ends one token, at once and everywhere', async () => {
    const [doomed, kept] = [await mint(), await mint()];
    for (const gatewayUrl of testStack().gatewayUrls)
      expect((await withToken(doomed.id).at(gatewayUrl).get('/users/me')).status).toBe(200);
    const answer = await person.api().delete(`/users/accessTokens/${doomed.id.slice(0, 8)}`);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    await isDead(doomed.id);
    expect((await withToken(kept.id).get('/users/me')).status).toBe(200);
  });

  it('DELETE knows only the caller’s own prefixes', async () => {
    const other = await createUser(person);
    for (const prefix of [other.token.slice(0, 8), 'unknown0', 'x', other.token, "' OR 1=1"]) {
      const answer = await person.api().delete(`/users/accessTokens/${encodeURIComponent(prefix)}`);
      expect(refusalOf(answer)).toEqual(unknownId('accessToken', prefix.slice(0, 8)));
    }
    expect((await other.api().get('/users/me')).status).toBe(200);
  });

  it('a token may revoke itself, and logout is the same', async () => {
    const [first, second] = [await mint(), await mint()];
    expect((await withToken(first.id).delete(`/users/accessTokens/${first.id.slice(0, 8)}`)).status).toBe(204);
    await isDead(first.id);
    const logout = await withToken(second.id).post('/users/logout', { all: true });
    expect({ status: logout.status, text: logout.text }).toEqual({ status: 204, text: '' });
    await isDead(second.id);
    expect(refusalOf(await withToken(second.id).post('/users/logout'))).toEqual(unauthorized);
    expect((await person.api().get('/users/me')).status).toBe(200);
  });
});

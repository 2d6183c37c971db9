import { confirm, confirmationLink, signUpBody, signUpUser } from '../src/sign-up';
import { createStackClient } from '../src/stack-client';
import type { ApiRequest } from '../src/stack-client';
import { testStack } from '../src/test-stack';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('from signup to logout', () => {
  it('goes all the way through', async () => {
    const stack = testStack();
    const client = createStackClient(stack);
    const body = signUpBody();

    const signedUp = await client.post('/accounts/signup', body);
    expect(signedUp.status).toBe(201);
    expect(signedUp.body).toEqual({ status: 201, message: expect.any(String) as string });

    const early = await client.post('/users/login', { email: body.email, password: body.password });
    expect(early).toMatchObject({ status: 401, body: { error: { code: 'LOGIN_FAILED_EMAIL_NOT_VERIFIED' } } });

    const link = new URL(await confirmationLink(stack.mailboxUrl, body.email));
    const page = await client.get(link.pathname + link.search, { outsideApi: true });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(await confirm(client, link.href, body.password)).toMatchObject({
      status: 200,
      body: { email: body.email, domain: body.domain },
    });
    const again = await client.get(link.pathname + link.search, { outsideApi: true });
    expect(again.status).toBeGreaterThanOrEqual(400);
    expect(again.status).toBeLessThan(500);
    expect(again.headers['content-type']).toMatch(/^text\/html/);

    const login = await client.post<{ id: string; ttl: number; created: string; userId: number }>('/users/login', {
      email: body.email.toUpperCase(),
      password: body.password,
      unknown: 'ignored',
    });
    expect(login.status).toBe(200);
    expect(login.body).toEqual({
      id: expect.stringMatching(/^[\w-]{64}$/) as string,
      ttl: 1209600,
      created: expect.stringMatching(iso) as string,
      userId: expect.any(Number) as number,
    });

    const user = client.withToken(login.body.id);
    const me = await user.get('/users/me');
    expect(me.status).toBe(200);
    expect(me.body).toEqual({
      id: login.body.userId,
      uuid: expect.stringMatching(uuid) as string,
      name: expect.any(String) as string,
      first_name: 'Company',
      email: body.email,
      phone: body.phone,
      role: 'ADMIN',
      emailVerified: true,
      createdAt: expect.stringMatching(iso) as string,
      updatedAt: expect.stringMatching(iso) as string,
      lastLoginAt: expect.stringMatching(iso) as string,
    });

    const further = await user.post<{ id: string; ttl: number }>('/users/accessTokens', { ttl: '-1' });
    expect(further).toMatchObject({ status: 200, body: { ttl: -1 } });
    expect(further.body.id).not.toBe(login.body.id);

    const head = await client.withToken(further.body.id).head('/users/accessTokens');
    expect(head.status).toBe(200);
    expect(head.text).toBe('');

    const logout = await user.post('/users/logout');
    expect(logout.status).toBe(204);
    expect(logout.text).toBe('');
    expect((await user.get('/users/me')).status).toBe(401);
    expect((await user.head('/users/accessTokens')).status).toBe(404);
    expect((await client.withToken(further.body.id).head('/users/accessTokens')).status).toBe(200);
  });

  it('reads a token from each of the four places, the raw header first', async () => {
    const stack = testStack();
    const { client, token } = await signUpUser(stack);
    const anonymous = client.withToken(undefined);
    const requests: ApiRequest[] = [
      { headers: { authorization: token } },
      { headers: { authorization: `Bearer ${token}` } },
      { headers: { 'x-access-token': token } },
      { query: { access_token: token } },
    ];
    for (const request of requests) {
      expect((await anonymous.get('/users/me', request)).status).toBe(200);
    }
    expect(
      (await anonymous.get('/users/me', { headers: { authorization: 'nonsense', 'x-access-token': token } })).status,
    ).toBe(401);
  });

  it('refuses a logged-out token at every gateway at once', async () => {
    const stack = testStack();
    const [first, second] = stack.gatewayUrls as [string, string];
    const { client } = await signUpUser(stack);
    for (let round = 0; round < 20; round += 1) {
      const created = await client.post<{ id: string }>('/users/accessTokens', { ttl: 600 });
      expect(created.status).toBe(200);
      const here = client.withToken(created.body.id).at(first);
      const there = client.withToken(created.body.id).at(second);
      // Both have it in their caches now.
      expect((await here.fromAnotherAddress().at(first).get('/users/me')).status).toBe(200);
      expect((await there.fromAnotherAddress().at(second).get('/users/me')).status).toBe(200);
      expect((await here.fromAnotherAddress().at(first).post('/users/logout')).status).toBe(204);
      expect((await there.fromAnotherAddress().at(second).get('/users/me')).status).toBe(401);
    }
  });

  it('gives a room that is not furnished yet a 501, never a 500', async () => {
    const { client } = await signUpUser(testStack());
    const answer = await client.get('/integrations');
    expect([200, 501]).toContain(answer.status);
  });
});

import type { User } from '@sabia/client';
import { eventually } from '../src/eventually';
import { queryDatabase } from '../src/find-in-database';
import { createMailbox } from '../src/mailbox';
import { createAdmin, createUser, newEmail, newUser, type Person } from '../src/people';
import { invalid, lastAdmin, loginFailed, refusalOf, taken, unauthorized, type Refusal } from '../src/refusals';
import { confirm, confirmationLink, signUpBody, type SignUpBody } from '../src/sign-up';
import { createStackClient, type ApiAnswer } from '../src/stack-client';
import { testStack } from '../src/test-stack';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** How often each answer was given: 'ok', or the refusal. */
function tally(answers: ApiAnswer[]): { ok: ApiAnswer[]; refusals: Refusal[] } {
  const ok = answers.filter(({ status }) => status < 300);
  return { ok, refusals: answers.filter((answer) => !ok.includes(answer)).map(refusalOf) };
}

describe('many signups at once', () => {
  const signUpAll = (count: number, shared: Partial<SignUpBody>) => {
    const stack = testStack();
    const client = createStackClient(stack);
    const bodies = times(count, () => signUpBody(shared));
    const answers = bodies.map((body, index) =>
      client
        .fromAnotherAddress()
        .at(stack.gatewayUrls[index % 2]!)
        .post('/accounts/signup', body),
    );
    return { client, bodies, answers: Promise.all(answers) };
  };
  const created = (bodies: SignUpBody[]) =>
    queryDatabase(
      testStack().postgresUrl,
      `SELECT a.domain, u.email, u.role FROM identity.accounts a FULL JOIN identity.users u ON u.account_id = a.id
       WHERE a.domain = ANY ($1) OR a.email = ANY ($2) OR u.email = ANY ($2)`,
      [bodies.map(({ domain }) => domain), bodies.map(({ email }) => email)],
    );

  it('with the same domain: one succeeds, the others hear why, nothing is half created', async () => {
    const { mailboxUrl } = testStack();
    const { client, bodies, answers } = signUpAll(100, { domain: signUpBody().domain });
    const { ok, refusals } = tally(await answers);
    expect(ok).toHaveLength(1);
    expect(refusals).toEqual(times(99, () => invalid('account', { domain: taken })));

    const winner = bodies[(await answers).indexOf(ok[0]!)]!;
    expect(await created(bodies)).toEqual([{ domain: winner.domain, email: winner.email, role: 'ADMIN' }]);
    const link = await confirmationLink(mailboxUrl, winner.email);
    expect((await confirm(client, link, winner.password)).status).toBe(200);
    const login = await client.post('/users/login', { email: winner.email, password: winner.password });
    expect(login.status).toBe(200);
    const recipients = new Set(bodies.map(({ email }) => email));
    const mails = (await createMailbox(mailboxUrl).mails()).filter(({ to }) => recipients.has(to));
    expect(mails.map(({ to }) => to)).toEqual([winner.email]);
  });

  it('with the same e-mail: none keeps it from the others until one is confirmed, and that one alone stays', async () => {
    const { email } = signUpBody();
    const { client, bodies, answers } = signUpAll(20, { email });
    expect(tally(await answers).refusals).toEqual([]);
    const link = await confirmationLink(testStack().mailboxUrl, email);
    const confirmed = await confirm(client, link, 'chosen by the reader');
    expect(confirmed.status).toBe(200);
    const { domain } = confirmed.body as { domain: string };
    expect(await created(bodies)).toEqual([{ domain, email, role: 'ADMIN' }]);
    for (const { password } of bodies.slice(0, 5))
      expect(refusalOf(await client.post('/users/login', { email, password }))).toEqual(loginFailed);
  });
});

describe('many requests at once', () => {
  let admin: Person;

  beforeAll(async () => {
    admin = await createAdmin(testStack());
  });

  const login = (email: string, password: string) =>
    admin.api().withToken(undefined).post('/users/login', { email, password });

  it.each(['a user', 'an unknown e-mail'])(
    'fifty wrong passwords of %s: ten are tried, and then not even the right one',
    async (whose) => {
      const someone = whose !== 'a user' ? { email: newEmail(), password: 'anything at all' } : await createUser(admin);
      const { ok, refusals } = tally(await Promise.all(times(50, () => login(someone.email, 'wrong password'))));
      expect(ok).toEqual([]);
      expect(refusals.filter(({ status }) => status === 401)).toEqual(times(10, () => loginFailed));
      expect(refusals.filter(({ status }) => status === 429)).toHaveLength(40);

      const late = await login(someone.email, someone.password);
      expect(refusalOf(late)).toEqual({
        status: 429,
        name: 'TooManyRequests',
        code: 'RATE_LIMITED',
        message: 'Too many failed logins. Try again later.',
      });
      expect(late.headers).toMatchObject({
        'ratelimit-remaining': '0',
        'ratelimit-reset': late.headers['retry-after'],
      });
      expect(Number(late.headers['retry-after'])).toBeGreaterThan(60);
      expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(900);
      expect((await login(admin.email, admin.password)).status).toBe(200);
    },
  );

  it('thirty right passwords of one user all get in', async () => {
    const someone = await createUser(admin);
    const { ok } = tally(await Promise.all(times(30, () => login(someone.email, someone.password))));
    expect(ok).toHaveLength(30);
  });

  it('thirty users with one e-mail: one is created', async () => {
    const email = newEmail();
    const { ok, refusals } = tally(
      await Promise.all(times(30, () => admin.api().post('/users', { ...newUser(), email, emailVerified: true }))),
    );
    expect(ok).toHaveLength(1);
    expect(refusals).toEqual(times(29, () => invalid('user', { email: taken })));
  });

  it('of ten ADMINs who all leave at once, one stays', async () => {
    const first = await createAdmin(testStack());
    const all = [first, ...(await Promise.all(times(9, () => createUser(first, 'ADMIN'))))];
    const answers = await Promise.all(
      all.map((person, index) =>
        index % 2 === 0 ? person.api().patch('/users', { role: 'USER' }) : person.api().delete(`/users/${person.uuid}`),
      ),
    );
    const { ok, refusals } = tally(answers);
    expect(ok).toHaveLength(9);
    expect(refusals).toEqual([lastAdmin]);
    const left = all[answers.findIndex(({ status }) => status === 409)]!;
    const users = await left.api().get<User[]>('/users', { query: { filter: '{"where":{"role":"ADMIN"}}' } });
    expect(users.body.map(({ uuid }) => uuid)).toEqual([left.uuid]);
  });

  it('a token revoked while it is being used stays dead', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await admin.api().post<{ id: string }>('/users/accessTokens', { ttl: 600 })).body;
      const client = admin.api().withToken(id);
      const uses = times(20, () => client.fromAnotherAddress().get('/users/me'));
      expect((await client.post('/users/logout')).status).toBe(204);
      expect((await client.get('/users/me')).status).toBe(401);
      await Promise.all(uses);
      await eventually(async () => (await client.fromAnotherAddress().get('/users/me')).status === 401);
    }
  });

  it('a stolen token does not outlive a change of the password by making others', async () => {
    for (let round = 0; round < 3; round += 1) {
      const owner = await createUser(admin);
      const stolen = (await owner.api().post<{ id: string }>('/users/accessTokens', {})).body.id;
      const thieves = times(6, async () => {
        const made: string[] = [];
        for (;;) {
          const answer = await owner.api().withToken(stolen).post<{ id: string }>('/users/accessTokens', {});
          if (answer.status !== 200) return { made, end: refusalOf(answer) };
          made.push(answer.body.id);
        }
      });
      const change = { password: 'a new password', currentPassword: owner.password };
      expect((await owner.api().patch('/users', change)).status).toBe(200);
      for (const { made, end } of await Promise.all(thieves)) {
        expect(end).toEqual(unauthorized);
        for (const token of made)
          expect((await owner.api().withToken(token).head('/users/accessTokens')).status).toBe(404);
      }
    }
  });
});

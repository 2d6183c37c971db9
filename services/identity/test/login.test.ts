import { hash } from 'node:crypto';
import { LoginRequest, TokenState } from '@sabia/protos/sabia/identity/v1/messages';
import { newEmail, password, refusal, startIdentity } from './identity';
import type { Identity, Person } from './identity';

let identity: Identity;
let person: Person;

beforeAll(async () => {
  identity = await startIdentity({ LOGIN_FAILURES_PER_IP: '15' });
  person = await identity.createAccount();
});
afterAll(() => identity.stop());

const login = (request: Partial<LoginRequest>, ip?: string) =>
  identity.client.login(LoginRequest.fromPartial(request), ip === undefined ? undefined : identity.from(ip));

const outcomes = async (logins: Promise<unknown>[]) => {
  const results = await Promise.allSettled(logins);
  const counts: Record<string, number> = {};
  for (const result of results) {
    const code = result.status === 'fulfilled' ? 'ok' : (result.reason as { code: string }).code;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
};

describe('the answer', () => {
  test('a token with its ttl and the number of the user', async () => {
    const answer = await login({ email: person.email.toUpperCase(), password });
    expect(answer).toEqual({
      id: expect.stringMatching(/^[\w-]{64}$/) as string,
      ttl: 1_209_600,
      created: expect.any(Date) as Date,
      userId: person.caller.userId,
    });
  });

  test('the ttl that was asked for, never expiring or capped', async () => {
    expect((await login({ email: person.email, password, ttl: 60 })).ttl).toBe(60);
    expect((await login({ email: person.email, password, ttl: 1e12 })).ttl).toBe(31_536_000);
    const { id, ttl } = await login({ email: person.email, password, ttl: -1 });
    expect(ttl).toBe(-1);
    expect((await identity.authenticate(id)).expiresAt).toBeUndefined();
    expect(await refusal(login({ email: person.email, password, ttl: 0 }))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test.each([
    {},
    { email: 'a@b.de' },
    { password: 'x' },
    { email: ' ', password: 'x' },
    { email: 'a@b.de', password: '' },
  ])('%j lacks something', async (request) => {
    expect(await refusal(login(request))).toMatchObject({ code: 'USERNAME_EMAIL_REQUIRED' });
  });

  test('a wrong password and an unknown e-mail look alike', async () => {
    const wrong = await refusal(login({ email: person.email, password: 'wrong password' }));
    for (const email of [newEmail(), 'nonsense', 'a\0b', '\ud800', 'x'.repeat(10_000)]) {
      const unknown = await refusal(login({ email, password: 'wrong password' }));
      expect([unknown.code, unknown.message, unknown.kind]).toEqual([wrong.code, wrong.message, wrong.kind]);
    }
    expect(wrong).toMatchObject({ code: 'LOGIN_FAILED' });
  });
});

describe('the throttle', () => {
  test.each([
    ['of a user', () => identity.createUser(person).then(({ email }) => email)],
    ['of an unknown user', () => Promise.resolve(newEmail())],
  ])(
    'fifty wrong passwords at once %s: ten are tried, also with the right one among the late',
    async (_whose, emailOf) => {
      const email = await emailOf();
      const wrong = Array.from({ length: 50 }, (_, index) =>
        login({ email, password: 'wrong password' }, `10.0.0.${index}`),
      );
      expect(await outcomes(wrong)).toEqual({ LOGIN_FAILED: 10, RATE_LIMITED: 40 });
      const late = await refusal(login({ email, password }));
      expect(late).toMatchObject({ code: 'RATE_LIMITED' });
      expect(late.retryAfterSeconds).toBeGreaterThan(800);
      expect(late.retryAfterSeconds).toBeLessThanOrEqual(900);
    },
  );

  test('the window ends by itself', async () => {
    const { email } = await identity.createUser(person);
    await outcomes(Array.from({ length: 11 }, () => login({ email, password: 'wrong password' })));
    identity.clock.offsetMs = 901_000;
    try {
      await expect(login({ email, password })).resolves.toMatchObject({ ttl: 1_209_600 });
    } finally {
      identity.clock.offsetMs = 0;
    }
  });

  test('a success clears the failures', async () => {
    const { email } = await identity.createUser(person);
    for (let round = 0; round < 2; round += 1) {
      expect(await outcomes(Array.from({ length: 9 }, () => login({ email, password: 'wrong password' })))).toEqual({
        LOGIN_FAILED: 9,
      });
      await login({ email, password });
    }
  });

  test('fifty right passwords at once all get in', async () => {
    const { email } = await identity.createUser(person);
    expect(await outcomes(Array.from({ length: 50 }, () => login({ email, password })))).toEqual({ ok: 50 });
  });

  test('an address that fails for many users is stopped, and others are not', async () => {
    const wrong = Array.from({ length: 20 }, () =>
      login({ email: newEmail(), password: 'wrong password' }, '192.0.2.1'),
    );
    expect(await outcomes(wrong)).toEqual({ LOGIN_FAILED: 15, RATE_LIMITED: 5 });
    expect(await refusal(login({ email: person.email, password }, '192.0.2.1'))).toMatchObject({
      code: 'RATE_LIMITED',
    });
    await login({ email: person.email, password }, '192.0.2.2');
  });

  test('addresses of one IPv6 network are one', async () => {
    await outcomes(
      Array.from({ length: 15 }, (_, index) => login({ email: newEmail(), password: 'x' }, `2001:db8:1:2::${index}`)),
    );
    const email = person.email;
    expect(await refusal(login({ email, password }, '2001:db8:1:2::ffff'))).toMatchObject({ code: 'RATE_LIMITED' });
    await login({ email, password }, '2001:db8:1:3::1');
  });

  describe('of a process that died while it checked passwords', () => {
    const leavePlaces = async (email: string) => {
      await outcomes([login({ email, password: 'wrong password' })]);
      await identity.database.query(
        `UPDATE login_throttle SET failures = 0, places = array_fill(now(), ARRAY[10]) WHERE key = $1`,
        [hash('sha256', `email:${email}`, 'buffer')],
      );
    };

    test('places are free again when no request can be waiting any more', async () => {
      const { email } = await identity.createUser(person);
      await leavePlaces(email);
      expect(await refusal(login({ email, password }))).toMatchObject({ code: 'RATE_LIMITED' });
      identity.clock.offsetMs = 21_000;
      try {
        await login({ email, password });
      } finally {
        identity.clock.offsetMs = 0;
      }
    });

    test('places are free again after a reset', async () => {
      const { email } = await identity.createUser(person);
      await leavePlaces(email);
      await identity.client.requestPasswordReset({ email });
      const token = await identity.linkToken(email);
      await identity.client.resetPassword({ token, password: 'a brand new password' });
      await login({ email, password: 'a brand new password' });
    });
  });

  test('it keeps neither addresses nor e-mails', async () => {
    const rows = await identity.database.query<{ text: string }>('SELECT t::text AS text FROM login_throttle t');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ text }) => text).join()).not.toMatch(/@|192\.0/);
  });
});

test('the next login replaces a hash of weaker parameters', async () => {
  const { email } = await identity.createUser(person);
  const hashes = () =>
    identity.database.query<{ hash: string }>('SELECT password_hash AS hash FROM users WHERE email = $1', [email]);
  const [before] = await hashes();
  const argon2 = await import('@node-rs/argon2');
  const weak = await argon2.hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  await identity.database.query('UPDATE users SET password_hash = $2 WHERE email = $1', [email, weak]);
  await login({ email, password });
  const [after] = await hashes();
  expect(after!.hash).not.toBe(weak);
  expect(after!.hash.split('$')[3]).toBe(before!.hash.split('$')[3]);
  const { id } = await login({ email, password });
  expect((await identity.authenticate(id)).state).toBe(TokenState.LIVE);
});

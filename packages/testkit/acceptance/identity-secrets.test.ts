import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInDatabase } from '../src/find-in-database';
import { createMailbox, linkIn } from '../src/mailbox';
import { createAdmin, createUser, newEmail, type Person } from '../src/people';
import { confirmationLink } from '../src/sign-up';
import { testStack } from '../src/test-stack';

describe('secrets in the database', () => {
  let admin: Person;
  /** Every password, token and code of this test by its kind. */
  const secrets: Record<string, string> = {};

  beforeAll(async () => {
    const stack = testStack();
    admin = await createAdmin(stack);
    const user = await createUser(admin);
    secrets.signUpPassword = admin.password;
    secrets.signUpCode = codeOf(await confirmationLink(stack.mailboxUrl, admin.email));
    secrets.loginToken = admin.token;
    secrets.userPassword = user.password;
    secrets.userToken = user.token;
    secrets.furtherToken = (await admin.api().post<{ id: string }>('/users/accessTokens', { ttl: -1 })).body.id;
    secrets.queryToken = (await admin.api().post<{ id: string }>('/users/accessTokens', {})).body.id;
    await admin
      .api()
      .withToken(undefined)
      .get('/users/me', { query: { access_token: secrets.queryToken } });
    secrets.unknownToken = `unknown-${secrets.queryToken.slice(8)}`;
    await admin.api().withToken(secrets.unknownToken).get('/users/me');

    secrets.wrongPassword = 'a wrong password of a person';
    await admin.api().post('/users/login', { email: admin.email, password: secrets.wrongPassword });
    secrets.refusedPassword = 'short-1';
    await admin.api().post('/users', { password: secrets.refusedPassword });
    secrets.newPassword = 'a new password of a person';
    await user.api().patch('/users', { password: secrets.newPassword, currentPassword: user.password });

    const email = newEmail();
    await user.api().patch('/users', { email });
    secrets.emailCode = codeOf(await confirmationLink(stack.mailboxUrl, email));
    for (const name of ['usedResetCode', 'resetCode']) {
      await admin.api().post('/users/reset', { email: admin.email });
      const mail = await createMailbox(stack.mailboxUrl).waitForMail(
        admin.email,
        ({ text }) => text.includes('/users/reset-password') && !text.includes(secrets.usedResetCode ?? 'no code yet'),
      );
      secrets[name] = codeOf(linkIn(mail, '/users/reset-password'));
      secrets.resetPassword = 'a password from a reset';
      if (name === 'usedResetCode')
        await admin.api().post('/users/reset-password', { token: secrets[name], password: secrets.resetPassword });
    }
  });

  it('the search finds what is there', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest();
    const { postgresUrl } = testStack();
    expect(await findInDatabase(postgresUrl, [admin.email])).toContain('identity.users.email');
    expect(await findInDatabase(postgresUrl, [sha256(secrets.resetCode!)])).toContain(
      'identity.one_time_tokens.token_hash',
    );
    expect(Object.values(secrets).every(Boolean)).toBe(true);
  });

  it('no row of any table holds one, in clear, in base64, in hex or as bytes', async () => {
    const forms = Object.values(secrets).flatMap((secret) => [
      secret,
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      Buffer.from(secret).toString('hex'),
      // The format of tokens and codes.
      ...(/^[\w-]{43,64}$/.test(secret) ? [Buffer.from(secret, 'base64url')] : []),
    ]);
    expect(await findInDatabase(testStack().postgresUrl, forms)).toEqual([]);
  });

  it('no log holds one', () => {
    const folder = join(testStack().home, 'logs');
    const files = readdirSync(folder).filter((file) => file.endsWith('.log'));
    expect(files).toEqual(expect.arrayContaining(['gateway.log', 'identity.log']));
    const leaks = files.flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${file}`] : []));
    });
    expect(leaks).toEqual([]);
  });
});

const codeOf = (link: string): string => new URL(link).searchParams.get('token') ?? '';

import { eventually } from '@sabia/testkit/eventually';
import { createLinks } from '../src/mail/links';
import { prepareMail } from '../src/mail/prepare';
import { newSignUp, password, startIdentity } from './identity';
import type { Identity } from './identity';

let identity: Identity;

beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

const waiting = () =>
  identity.database.query<{ attempts: number; last_error: string | null }>('SELECT attempts, last_error FROM mails');

/** A mail whose try has failed is due at once instead of after its wait. Until the next try fails, this does nothing more. */
const hurry = () =>
  identity.database.query(
    'UPDATE mails SET next_attempt_at = created_at, last_error = NULL WHERE last_error IS NOT NULL',
  );

test('with SMTP away a sign-up succeeds, and its mail arrives later, once', async () => {
  await identity.catcher.stop();
  const request = newSignUp();
  const email = request.email!;
  await expect(identity.client.signUp(request)).resolves.toMatchObject({ status: 201 });

  const [mail] = await eventually(async () => {
    const rows = await waiting();
    return rows[0]?.last_error !== null && (rows[0]?.attempts ?? 0) >= 2 && rows;
  });
  expect(mail!.last_error).toMatch(/ECONNREFUSED/);
  // No link is left behind by a try that did not get through; the one under way has its own.
  await eventually(async () => (await identity.database.query('SELECT user_id FROM one_time_tokens')).length === 0);
  // Asking again while it waits does not make two of it.
  await identity.client.resendConfirmation({ email });
  await expect(waiting()).resolves.toHaveLength(1);

  await identity.catcher.start();
  const token = await identity.linkToken(email);
  await eventually(async () => (await waiting()).length === 0);
  expect(identity.catcher.to(email)).toHaveLength(1);
  await identity.client.confirmEmail({ token, password });
  await identity.login(email);
});

test('a mail without a final reply of the server is retried, and every link that was sent works', async () => {
  identity.catcher.moods.cutsAfterText = true;
  const request = newSignUp();
  const email = request.email!;
  try {
    await identity.client.signUp(request);
    // More often than links may be asked for within an hour.
    await eventually(async () => {
      await hurry();
      return identity.catcher.to(email).length >= 7;
    });
    identity.catcher.moods.cutsAfterText = false;
    await eventually(async () => {
      await hurry();
      return (await waiting()).length === 0;
    });
    await identity.client.confirmEmail({ token: await identity.linkToken(email, 1), password });
    await identity.login(email);
  } finally {
    identity.catcher.moods.cutsAfterText = false;
  }
});

test('requests that came while SMTP was away still send five mails at most', async () => {
  const person = await identity.createAccount();
  await identity.catcher.stop();
  await identity.database.query(
    `INSERT INTO mails (template, address, next_attempt_at, created_at)
     SELECT 'reset-password', $1, now(), now() FROM generate_series(1, 9)`,
    [person.email],
  );
  await eventually(async () => {
    const rows = await waiting();
    return rows.length === 5 && rows.every(({ last_error }) => last_error !== null);
  });
  await identity.catcher.start();
  await eventually(async () => (await waiting()).length === 0);
  expect(identity.catcher.to(person.email)).toHaveLength(1 + 5);
});

test('a mail claimed by a process that died is sent when its lease ends', async () => {
  const request = newSignUp();
  const email = request.email!;
  await identity.client.signUp(request);
  const first = await identity.linkToken(email);
  await eventually(async () => (await waiting()).length === 0);
  await identity.database.query(
    `INSERT INTO mails (template, address, attempts, next_attempt_at, created_at)
     VALUES ('confirm-email', $1, 1, now() + interval '5 minutes', now())`,
    [email],
  );
  identity.clock.offsetMs = 6 * 60 * 1000;
  try {
    expect(await identity.linkToken(email, 2)).not.toBe(first);
  } finally {
    identity.clock.offsetMs = 0;
  }
});

test('a mail that was withdrawn after a worker had claimed it mints no link', async () => {
  const { email, caller } = await identity.createAccount();
  const withdrawn = { id: 0, uuid: 'x', address: email, userId: caller.userId, attempts: 1, createdAt: new Date() };
  const preparation = { database: identity.database, links: createLinks('http://gateway.test'), now: () => new Date() };
  await expect(prepareMail({ ...withdrawn, template: 'email-changed' }, preparation)).resolves.toBeUndefined();
});

test('several replicas send a mail once', async () => {
  const requests = Array.from({ length: 20 }, () => newSignUp());
  // A second service on the same database.
  const other = await startIdentity({ DATABASE_URL: identity.databaseUrl, SMTP_URL: identity.catcher.url });
  try {
    await Promise.all(requests.map((request) => identity.client.signUp(request)));
    await eventually(async () => (await waiting()).length === 0);
    for (const { email } of requests) {
      expect(identity.catcher.to(email!)).toHaveLength(1);
    }
  } finally {
    await other.stop();
  }
});

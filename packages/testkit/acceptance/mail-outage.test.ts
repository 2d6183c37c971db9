import { eventually } from '../src/eventually';
import { queryDatabase } from '../src/find-in-database';
import { createMailbox } from '../src/mailbox';
import { startOwnStack, type OwnStack } from '../src/own-stack';
import { createAdmin, newUser, type Person } from '../src/people';
import { confirm, confirmationLink, signUpBody, signUpUser, type SignUpBody } from '../src/sign-up';
import { createStackClient } from '../src/stack-client';

describe('an SMTP server that is away', () => {
  let stack: OwnStack;
  let admin: Person;

  beforeAll(async () => {
    stack = await startOwnStack();
    admin = await createAdmin(stack);
  });

  afterAll(async () => {
    await stack.end();
  });

  const processOf = (name: string) => {
    const found = stack.processes.get(name);
    if (!found) throw new Error(`no process ${name}`);
    return found;
  };
  const signUp = async (body: SignUpBody) => (await createStackClient(stack).post('/accounts/signup', body)).status;
  const waiting = (email: string) =>
    queryDatabase<{ attempts: number; last_error: string | null; tryingNow: boolean }>(
      stack.postgresUrl,
      `SELECT attempts, last_error, next_attempt_at > now() + interval '10 seconds' AS "tryingNow"
       FROM identity.mails WHERE address = $1`,
      [email],
    );
  const triedTwice = (email: string) =>
    eventually(async () => {
      const [mail] = await waiting(email);
      return mail !== undefined && mail.attempts >= 2 && !mail.tryingNow;
    });
  /** No mail is queued any longer, and one has arrived. */
  const arrivedOnce = async (email: string) => {
    await createMailbox(stack.mailboxUrl).waitForMail(email);
    await eventually(async () => (await waiting(email)).length === 0);
    expect((await createMailbox(stack.mailboxUrl).mails()).filter(({ to }) => to === email)).toHaveLength(1);
  };
  const confirmAndLogIn = async ({ email, password }: SignUpBody) => {
    const client = createStackClient(stack);
    const link = await confirmationLink(stack.mailboxUrl, email);
    expect((await confirm(client, link, password)).status).toBe(200);
    expect((await client.post('/users/login', { email, password })).status).toBe(200);
  };

  it('keeps no signup, no user and no reset from being accepted; each mail arrives later, once', async () => {
    await processOf('mailbox').kill();
    const body = signUpBody();
    const user = newUser();
    expect(await signUp(body)).toBe(201);
    expect((await admin.api().post('/users', user)).status).toBe(200);
    expect((await admin.api().post('/users/reset', { email: admin.email })).status).toBe(202);
    for (const email of [body.email, user.email, admin.email]) await triedTwice(email);
    expect((await waiting(body.email))[0]?.last_error).toMatch(/ECONNREFUSED/);
    // A second request does not send a second mail.
    for (let n = 0; n < 3; n += 1)
      expect((await admin.api().post('/accounts/resend-confirmation', { email: body.email })).status).toBe(202);

    await processOf('mailbox').start();
    for (const email of [body.email, user.email]) await arrivedOnce(email);
    await createMailbox(stack.mailboxUrl).waitForMail(admin.email, ({ subject }) => subject.startsWith('Redefina'));
    await confirmAndLogIn(body);
  });

  it('together with the death of identity loses nothing either', async () => {
    await processOf('mailbox').kill();
    const body = signUpBody();
    expect(await signUp(body)).toBe(201);
    await triedTwice(body.email);
    await processOf('identity').kill();
    await processOf('identity').start();
    await processOf('mailbox').start();
    await arrivedOnce(body.email);
    await confirmAndLogIn(body);
  });

  it('when it only hangs, no request waits for it', async () => {
    processOf('mailbox').pause();
    const body = signUpBody();
    expect(await signUp(body)).toBe(201);
    // The attempt under way fails once its time limit of ten seconds is over.
    expect((await waiting(body.email))[0]).toMatchObject({ last_error: null });
    await eventually(async () => (await waiting(body.email))[0]?.attempts === 1);
    processOf('mailbox').resume();
    await arrivedOnce(body.email);
    expect((await signUpUser(stack)).token).toBeDefined();
  });
});

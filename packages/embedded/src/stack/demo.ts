import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { writeFileAtomically } from '../files';
import type { Mail } from '../mailbox/store';
import { createApiCaller, type ApiCall } from './api-caller';
import { demoFile } from './home';
import type { DemoAccount } from './stack-file';

const PATIENCE_MS = 60_000;

export interface DemoOptions {
  home: string;
  /** With /api/v1. */
  apiUrl: string;
  mailboxUrl: string;
  domainSuffix: string;
}

/** Creates a demo account through the public API, and finds it again at the next start. */
export async function seedDemo(options: DemoOptions): Promise<DemoAccount> {
  const file = demoFile(options.home);
  const call = createApiCaller(options.apiUrl);
  let demo = read(file) ?? newDemo('demo', options.domainSuffix);

  if (demo.token && (await call('HEAD', '/users/accessTokens', { token: demo.token })).status === 200) return demo;
  // Written before it is used, so that a start after a kill finds its account again.
  save(file, demo);
  for (let attempt = 1; attempt <= 4; attempt++) {
    const login = await call('POST', '/users/login', { body: { email: demo.email, password: demo.password } });
    if (login.status === 200) {
      demo.token = await lastingToken(call, login.body.id ?? '');
      save(file, demo);
      return demo;
    }
    if (login.body.error?.code === 'LOGIN_FAILED_EMAIL_NOT_VERIFIED') await confirm(call, options.mailboxUrl, demo);
    else if ((await signUp(call, demo)) === 'taken') {
      // A given database may contain the demo account of another stack.
      demo = newDemo(`demo-${randomBytes(3).toString('hex')}`, options.domainSuffix);
      save(file, demo);
    }
  }
  throw new Error('the demo account could neither be created nor logged in');
}

async function signUp(call: ApiCall, demo: DemoAccount): Promise<'created' | 'taken'> {
  const answer = await call('POST', '/accounts/signup', {
    body: {
      organization_name: 'Sabiá demo',
      domain: demo.domain,
      email: demo.email,
      password: demo.password,
      phone: '+5511987654321',
      crm: 'Outros',
      user_quantity: '1-5',
    },
  });
  if (answer.status === 201 || answer.status === 200) return 'created';
  if (answer.status === 422) return 'taken';
  throw new Error(`the demo account was refused: ${answer.status} ${answer.body.error?.message ?? ''}`);
}

/** Does what the form behind the link does. */
async function confirm(call: ApiCall, mailboxUrl: string, { email, password }: DemoAccount): Promise<void> {
  const send = (link: string) =>
    call('POST', '/accounts/confirm', { body: { token: new URL(link).searchParams.get('token'), password } });
  const link = (await findLink(mailboxUrl, email, 10_000)) ?? (await resend(call, mailboxUrl, email));
  if ((await send(link)).status === 200) return;
  // The token is used up or expired; the newest mail has a valid one.
  await send(await resend(call, mailboxUrl, email));
}

async function resend(call: ApiCall, mailboxUrl: string, email: string): Promise<string> {
  const before = await findLink(mailboxUrl, email, 0);
  await call('POST', '/accounts/resend-confirmation', { body: { email } });
  const link = await findLink(mailboxUrl, email, PATIENCE_MS, before);
  if (!link) throw new Error(`no confirmation mail for ${email} arrived`);
  return link;
}

async function findLink(
  mailboxUrl: string,
  email: string,
  patienceMs: number,
  except?: string,
): Promise<string | undefined> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const mails = (await (await fetch(mailboxUrl, { headers: { Accept: 'application/json' } })).json()) as Mail[];
    const links = mails
      .filter(({ to }) => to.includes(email))
      .flatMap(({ text }) => /https?:\/\/\S+\/accounts\/confirm\?\S+/.exec(text) ?? []);
    const link = links.find((each) => each !== except);
    if (link) return link;
    if (Date.now() > giveUpAt) return undefined;
    await delay(50);
  }
}

async function lastingToken(call: ApiCall, loginToken: string): Promise<string> {
  const made = await call('POST', '/users/accessTokens', { token: loginToken, body: { ttl: -1 } });
  if (!made.body.id) throw new Error(`the demo token was refused: ${made.status} ${made.body.error?.message ?? ''}`);
  await call('POST', '/users/logout', { token: loginToken });
  return made.body.id;
}

function newDemo(name: string, domainSuffix: string): DemoAccount {
  return {
    email: `${name}@example.com`,
    password: randomBytes(12).toString('base64url'),
    token: '',
    domain: `${name}${domainSuffix}`,
  };
}

function read(file: string): DemoAccount | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoAccount;
  } catch {
    return undefined;
  }
}

function save(file: string, demo: DemoAccount): void {
  writeFileAtomically(file, `${JSON.stringify(demo, null, 2)}\n`, 0o600);
}

import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import type { BenchStack } from './stack';
import { withDatabase } from './with-database';

export interface FilledAccount {
  domain: string;
  token: string;
  /** Of every extension. */
  senha: string;
  ramals: string[];
  /** Removes the extensions that a measurement has added. */
  trim(): Promise<void>;
}

export const person = { first_name: 'Bench', last_name: 'Mark', email_address: 'bench@example.com' };

const firstRamal = 1000;

/**
 * An account of its own with so many extensions. The first one is made through the API, in the account itself, because a
 * sealed senha opens only there; the others are copies of its row, which the triggers see like any other.
 */
export async function openFilledAccount(
  stack: BenchStack,
  size: number,
  { recorded = false } = {},
): Promise<FilledAccount> {
  const { domain, token } = await signUp(stack);
  const senha = randomBytes(12).toString('hex');
  const template = { ...person, ramal: String(firstRamal), senha, gravar_audio: recorded ? 1 : 0 };
  const { id } = await call<{ id: number }>(stack, 'POST', '/api/v1/extensions', { token, body: template });
  const last = firstRamal + size - 1;
  await withDatabase(stack, async (client) => {
    const { rowCount } = await client.query(
      `INSERT INTO extensions.extensions (account_id, domain, ramal, senha_sealed, senha_key_id, ha1, bina, first_name,
         last_name, email_address, gravar_audio, registration_changed_at, created_at, updated_at)
       SELECT account_id, domain, number::text, senha_sealed, senha_key_id, md5(number || ':' || domain || ':' || $2::text),
         bina, first_name, last_name, email_address, gravar_audio, registration_changed_at, created_at, updated_at
       FROM extensions.extensions, generate_series($3::bigint, $4::bigint) AS number
       WHERE id = $1`,
      [id, senha, firstRamal + 1, last],
    );
    if (rowCount !== size - 1) throw new Error(`${rowCount} extensions were added, not ${size - 1}`);
    await client.query('VACUUM ANALYZE extensions.extensions');
  });
  return {
    domain,
    token,
    senha,
    ramals: Array.from({ length: size }, (_, index) => String(firstRamal + index)),
    trim: () =>
      withDatabase(stack, async (client) => {
        await client.query('DELETE FROM extensions.extensions WHERE domain = $1 AND ramal::bigint > $2', [
          domain,
          last,
        ]);
        // Dead rows would otherwise slow down the next measurement.
        await client.query('VACUUM extensions.extensions');
      }),
  };
}

/** An account that has nothing yet. */
export async function signUp(stack: BenchStack): Promise<{ domain: string; token: string }> {
  const name = `bench-${randomBytes(6).toString('hex')}`;
  const [domain, email, password] = [`${name}.sabia.localhost`, `${name}@example.com`, `pass-${name}`];
  const details = { organization_name: name, phone: '+5511987654321', crm: 'Outros', user_quantity: '1-5' };
  await call(stack, 'POST', '/api/v1/accounts/signup', { body: { ...details, domain, email, password } });
  await confirm(stack, new URL(await confirmationLink(stack.mailboxUrl, email)), password);
  const { id } = await call<{ id: string }>(stack, 'POST', '/api/v1/users/login', { body: { email, password } });
  return { domain, token: id };
}

/** At ed6199a, to which the goals refer, to open the link is enough. */
async function confirm(stack: BenchStack, { pathname, search, searchParams }: URL, password: string): Promise<void> {
  const link = await request(`${stack.gatewayUrl}${pathname}${search}`);
  const page = await link.body.text();
  if (link.statusCode !== 200) throw new Error(`the confirmation link: status ${link.statusCode}`);
  if (!page.includes('<form')) return;
  await call(stack, 'POST', '/api/v1/accounts/confirm', { body: { token: searchParams.get('token'), password } });
}

async function confirmationLink(mailboxUrl: string, email: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await request(mailboxUrl, { headers: { accept: 'application/json' } });
    const mails = (await answer.body.json()) as { to: string; text: string }[];
    const link = mails.find(({ to }) => to === email)?.text.match(/https?:\/\/[^\s<>"]+\/accounts\/confirm[^\s<>"]*/);
    if (link) return link[0];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no confirmation mail for ${email}`);
}

async function call<Body>(
  stack: BenchStack,
  method: 'GET' | 'POST',
  path: string,
  { token, body }: { token?: string; body?: object },
): Promise<Body> {
  const answer = await request(`${stack.gatewayUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: token } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300)
    throw new Error(`${method} ${path}: status ${answer.statusCode}: ${text.slice(0, 200)}`);
  return (path.startsWith('/api/') && method === 'POST' && text ? JSON.parse(text) : undefined) as Body;
}

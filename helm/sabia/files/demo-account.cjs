// The account of the demo, made through the public API as any person would, with an extension and credit. May be run again.
// Runs in the image of billing, which has the clients of the services.
const { createHash } = require('node:crypto');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');

const { GATEWAY_URL, MAILBOX_URL, IDENTITY_ADDRESS, BILLING_ADDRESS, WAIT_SECONDS, ACCOUNT } = process.env;
const { email, password, domain, extension, extensionPassword, reais } = JSON.parse(ACCOUNT);
const RETRY_MS = 2_000;
const giveUpAt = Date.now() + Number(WAIT_SECONDS) * 1_000;

/** What comes later: the gateway, a mail, a service that is on its way up. */
class NotYet extends Error {}

async function untilDone(work) {
  let told;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isPassing =
        error instanceof NotYet || error.message === 'fetch failed' || error.code === 'SERVICE_UNAVAILABLE';
      if (!isPassing || Date.now() + RETRY_MS > giveUpAt) throw error;
      if (told !== error.message) console.log(`waiting: ${error.message}`);
      told = error.message;
      await delay(RETRY_MS);
    }
  }
}

async function call(method, path, { token, body } = {}) {
  const answer = await fetch(`${GATEWAY_URL}/api/v1${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: token } : {}) },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  const result = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {};
  if (answer.status === 429 || answer.status >= 500) throw new NotYet(`${method} ${path} answers ${answer.status}`);
  return { status: answer.status, body: result };
}

function expect(answer, what) {
  if (answer.status >= 300)
    throw new Error(`${what} was refused: ${answer.status} ${JSON.stringify(answer.body.error)}`);
  return answer.body;
}

async function logIn() {
  const login = await call('POST', '/users/login', { body: { email, password } });
  return login.status === 200 ? login.body.id : undefined;
}

async function signUp() {
  const body = {
    ...{ organization_name: 'Sabiá demo', domain, email, password },
    ...{ phone: '+5511987654321', crm: 'Outros', user_quantity: '1-5' },
  };
  const answer = await call('POST', '/accounts/signup', { body });
  // Taken: by an earlier run that came no further.
  if (answer.status !== 422) expect(answer, 'the account');
}

/** Mailpit's: https://mailpit.axllent.org/docs/api-v1 */
async function findLink() {
  const search = await fetch(`${MAILBOX_URL}/api/v1/search?query=${encodeURIComponent(`to:${email}`)}`);
  for (const { ID } of (await search.json()).messages) {
    const { Text } = await (await fetch(`${MAILBOX_URL}/api/v1/message/${ID}`)).json();
    const link = /https?:\/\/\S+\/accounts\/confirm\?\S+/.exec(Text)?.[0];
    if (link) return new URL(link);
  }
  throw new NotYet(`there is no mail for ${email}`);
}

async function confirm() {
  const link = await findLink();
  const body = { token: link.searchParams.get('token'), password };
  expect(await call('POST', '/accounts/confirm', { body }), 'the confirmation');
}

async function addExtension(token) {
  const filter = encodeURIComponent(JSON.stringify({ where: { ramal: extension } }));
  if (expect(await call('GET', `/extensions?filter=${filter}`, { token }), 'the list of extensions').length > 0) return;
  const body = {
    ...{ ramal: extension, senha: extensionPassword, email_address: email },
    ...{ first_name: 'Demo', last_name: 'Sabiá', gravar_audio: 1 },
  };
  expect(await call('POST', '/extensions', { token, body }), 'the extension');
}

/** No public route grants unpaid credit, so billing is asked directly. It grants it once per key. */
async function grantCredit(token) {
  const from = createRequire(join(process.cwd(), 'x'));
  const { createGrpcClient } = from('@sabia/service-kit/grpc/client');
  const { IdentityServiceService } = from('@sabia/protos/sabia/identity/v1/service');
  const { BillingServiceService } = from('@sabia/protos/sabia/billing/v1/service');
  const people = createGrpcClient(IdentityServiceService, { address: IDENTITY_ADDRESS });
  const ledger = createGrpcClient(BillingServiceService, { address: BILLING_ADDRESS });
  try {
    const { caller } = await people.authenticate({ tokenHash: createHash('sha256').update(token).digest() });
    const description = 'Credit of the demo account';
    await ledger.grantCredit({ accountId: caller.accountId, amount: reais * 10_000, key: 'demo', description });
  } finally {
    people.close();
    ledger.close();
  }
}

/** A login that fails counts as a guess of a password, so there are no more of them than it takes. */
async function openAccount() {
  const token = await untilDone(logIn);
  if (token) return token;
  await untilDone(signUp);
  await untilDone(confirm);
  return untilDone(logIn);
}

async function main() {
  const token = await openAccount();
  if (!token) throw new Error(`${email} cannot log in`);
  await untilDone(() => addExtension(token));
  await untilDone(() => grantCredit(token));
  await call('POST', '/users/logout', { token });
  console.log(`the account of ${email} has credit and the extension ${extension}`);
}

main().catch((error) => {
  console.error(`demo account: ${error.message}`);
  process.exitCode = 1;
});

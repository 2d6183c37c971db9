import { eventually } from '../src/eventually';
import { queryDatabase } from '../src/find-in-database';
import { checkPage } from '../src/console/check-page';
import { closeBrowser, closeConsoles, openConsole, type Look } from '../src/console/open-console';
import { takeScreenshot } from '../src/console/screenshot';
import { createMailbox } from '../src/mailbox';
import { confirmationLink, signUpBody, signUpUser } from '../src/sign-up';
import { createStackClient } from '../src/stack-client';
import { testStack } from '../src/test-stack';

afterEach(closeConsoles);
afterAll(closeBrowser);

const looks: Look[] = [
  { width: 390, scheme: 'light', locale: 'pt-BR' },
  { width: 390, scheme: 'dark', locale: 'en' },
  { width: 1280, scheme: 'light', locale: 'en' },
  { width: 1280, scheme: 'dark', locale: 'pt-BR' },
];

const dayAhead = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The link of a sign-up that waits for its confirmation. */
async function waitingLink(): Promise<{ email: string; password: string; link: string }> {
  const body = signUpBody();
  expect((await createStackClient(testStack()).post('/accounts/signup', body)).status).toBe(201);
  return { ...body, link: await confirmationLink(testStack().mailboxUrl, body.email) };
}

let pages: [name: string, address: string, words: Record<Look['locale'], string>][];

beforeAll(async () => {
  const [waiting, user] = await Promise.all([waitingLink(), signUpUser(testStack())]);
  const charge = { paymentMethod: 'BOLETO', amount: 50, dueDate: dayAhead(3) };
  const { id } = (await user.client.post<{ id: number }>('/extensions/next-available')).body;
  const { path } = (await user.client.post<{ path: string }>(`/extensions/${id}/provisioning`)).body;
  const { paymentLink } = (await user.client.post<{ paymentLink: string }>('/charges', charge)).body;
  pages = [
    ['home', '/', { 'pt-BR': 'Criar uma conta', en: 'Create an account' }],
    ['unknown', '/no/such/page', { 'pt-BR': 'Página não encontrada', en: 'Page not found' }],
    ['recording', '/api/v1/recordings/x.wav', { 'pt-BR': 'Gravação não encontrada', en: 'Recording not found' }],
    ['confirm', waiting.link, { 'pt-BR': 'Confirme seu e-mail', en: 'Confirm your e-mail' }],
    ['bad-link', '/api/v1/users/reset-password?token=x', { 'pt-BR': 'não funciona', en: 'does not work' }],
    ['provision', path, { 'pt-BR': 'Abra este link no Linphone', en: 'Open this link in Linphone' }],
    ['provision-gone', '/provision/x', { 'pt-BR': 'Este link não vale mais', en: 'no longer valid' }],
    ['payment', paymentLink, { 'pt-BR': 'Pague com PIX', en: 'Pay with PIX' }],
  ];
});

it.each(looks)('every page can be read, at $width px, $scheme, $locale', async (look) => {
  const { page } = await openConsole(testStack(), { ...look, as: 'nobody' });
  for (const [name, address, words] of pages) {
    await page.goto(address);
    expect(await page.innerText('body')).toContain(words[look.locale]);
    await checkPage(page);
    await takeScreenshot(page, `pages/${name}-${look.width}-${look.scheme}-${look.locale}`);
  }
});

it.each(looks.slice(0, 2))('the mailbox and its mails, at $width px, $scheme, $locale', async (look) => {
  const { mailboxUrl: gatewayUrl, demo } = testStack();
  const { page } = await openConsole({ gatewayUrl, demo }, { ...look, as: 'nobody' });
  await page.goto('/');
  await page.locator('#list button').first().click();
  await page.frameLocator('iframe').getByText('Sabiá').first().waitFor();
  await checkPage(page);
  await takeScreenshot(page, `pages/mailbox-${look.width}-${look.scheme}-${look.locale}`);
});

it('a person goes from an expired link to the log-in, by forms alone', async () => {
  const { email, password, link } = await waitingLink();
  const mails = async () => (await createMailbox(testStack().mailboxUrl).mails()).filter(({ to }) => to === email);
  await queryDatabase(
    testStack().postgresUrl,
    `UPDATE identity.one_time_tokens SET expires_at = now() - interval '1 second' WHERE email = $1`,
    [email],
  );
  const { page } = await openConsole(testStack(), { as: 'nobody', width: 390 });
  await page.goto(link);
  expect(await page.innerText('h1')).toBe('Este link expirou');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Enviar novo link' }).click();
  await page.getByRole('heading', { name: 'Veja sua caixa de entrada' }).waitFor();
  await checkPage(page);

  await eventually(async () => (await mails()).length === 2);
  await page.goto(await confirmationLink(testStack().mailboxUrl, email));
  // Like a browser that does not check the length itself.
  await page.evaluate(`document.querySelector('#password').removeAttribute('minlength')`);
  await page.getByLabel('Senha').fill('short');
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await page.getByText('A senha precisa ter de 8 a 256 caracteres.').waitFor();
  await checkPage(page);
  await page.getByLabel('Senha').fill(password);
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await page.getByRole('heading', { name: 'E-mail confirmado' }).waitFor();
  await checkPage(page);
  expect(await page.getByRole('link', { name: 'Entrar' }).getAttribute('href')).toBe('/console/login');
});

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startCallingUser } from '../src/calling-user';
import { checkColours, checkPage } from '../src/console/check-page';
import { closeBrowser, closeConsoles, openConsole, type Look } from '../src/console/open-console';
import { takeScreenshot } from '../src/console/screenshot';
import { eventually } from '../src/eventually';
import { guideFolder } from '../src/guides/guide-blocks';
import { createAdmin } from '../src/people';
import { testStack } from '../src/test-stack';

const stack = testStack();
const looks: Look[] = [
  { width: 390, scheme: 'dark', locale: 'pt-BR' },
  { width: 1280, scheme: 'light', locale: 'en' },
];
const guides = readdirSync(join(guideFolder, 'en')).map((file) => file.replace(/\.md$/, ''));
/** The part of the reference about POST /calls. */
const placeCall = '/docs#tag/calls/POST/api/v1/calls';
const reference = { en: 'API reference', 'pt-BR': 'Referência da API' };

// Fails on script errors, on what the Content-Security-Policy refuses, and on any request that leaves the gateway.
afterEach(closeConsoles);
afterAll(closeBrowser);

it.each(looks)('the guides can be read, at $width px, $scheme, $locale', async (look) => {
  const { page } = await openConsole(stack, { ...look, as: 'nobody' });
  // Every guide once on a telephone; the others differ in frame and colours only.
  for (const name of look === looks[0] ? guides : ['quickstart']) {
    await page.goto(`/docs/${name}`);
    await checkPage(page);
    await takeScreenshot(page, `docs/${name}-${look.width}-${look.scheme}-${look.locale}`);
  }
});

it('a guide leads to the others, to the reference and to itself in the other language', async () => {
  const { page } = await openConsole(stack, { as: 'nobody', locale: 'en' });
  await page.goto('/docs/webhooks');
  await page.getByRole('link', { name: 'Português' }).click();
  await page.getByRole('heading', { level: 2, name: 'Verificar a assinatura' }).waitFor();
  await page.getByRole('link', { name: 'Recarga', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Recarga' }).waitFor();
  await page.getByRole('link', { name: reference['pt-BR'] }).first().click();
  await page.waitForURL('**/docs/pt-BR/');
});

it.each(looks)('the reference can be read, at $width px, $scheme, $locale', async (look) => {
  const { page } = await openConsole(stack, { ...look, as: 'nobody' });
  await page.goto(placeCall);
  await page.getByText('/api/v1/calls', { exact: true }).first().waitFor();
  // What is wrong with the parts of Scalar is for Scalar to mend; the colours in it are ours.
  await checkColours(page);
  await takeScreenshot(page, `docs/reference-${look.width}-${look.scheme}-${look.locale}`);
});

it('the reference is searched', async () => {
  const { page } = await openConsole(stack, { as: 'nobody', locale: 'en' });
  await page.goto('/docs');
  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click();
  await page.keyboard.type('hangup');
  await page.getByRole('dialog').getByText('/api/v1/calls/{id}/hangup').first().waitFor();
});

/** What only the code of each language has that the reference offers. */
const languages = {
  Curl: '--request POST',
  Fetch: "fetch('",
  'http.client': 'import http.client',
  cURL: 'curl_init(',
  NewRequest: 'http.NewRequest(',
};

it('the reference shows a request in curl, JavaScript, Python, PHP and Go', async () => {
  const { page } = await openConsole(stack, { as: 'nobody', locale: 'en' });
  await page.goto(placeCall);
  const section = page.locator('section[id$="/POST/api/v1/calls"]');
  const picker = section.getByTestId('client-picker');
  await picker.click();
  const offered = await page.getByRole('option').allInnerTexts();
  expect(offered.sort()).toEqual(Object.keys(languages).sort());
  await page.keyboard.press('Escape');
  for (const [name, mark] of Object.entries(languages)) {
    await picker.click();
    await page.getByRole('option', { name, exact: true }).click();
    await eventually(async () => {
      const code = await section.locator('pre').first().innerText();
      for (const part of [mark, '/api/v1/calls', '1000']) expect(code).toContain(part);
      return true;
    });
  }
});

it('a request is tried out with a token that was pasted', async () => {
  const admin = await createAdmin(stack);
  const { page } = await openConsole(stack, { as: 'nobody', locale: 'en', tolerates: [/401/] });
  await page.goto('/docs#tag/users/GET/api/v1/users/me');
  await page.getByRole('button', { name: /Test Request.*get \/api\/v1\/users\/me\)/ }).click();
  const client = page.getByRole('dialog');
  const send = client.getByRole('button', { name: /^Send/ }).last();
  await send.click();
  await client.getByText('AUTHORIZATION_REQUIRED').first().waitFor();
  await client.getByPlaceholder('QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT').first().fill(admin.token);
  await send.click();
  await client.getByText(admin.email).first().waitFor();
});

it('a request that is tried out with the session of the console really places a call', async () => {
  const user = await startCallingUser(stack, { ramal: '1000' });
  try {
    const { page } = await openConsole(stack, { as: user, locale: 'en' });
    await page.goto(placeCall);
    await page.getByText(user.email).waitFor();
    await page.getByRole('button', { name: /Test Request.*post \/api\/v1\/calls\)/ }).click();
    const client = page.getByRole('dialog');
    await client.locator('.cm-content').first().fill(`{"extension": "1000", "called": "${stack.testNumbers.answer}"}`);
    await takeScreenshot(page, 'docs/try-it');
    await client.getByRole('button', { name: /^Send/ }).last().click();
    await client.getByText('"success"').first().waitFor();
    const { data } = (await user.api().get<{ data: { id: string }[] }>('/calls?page=1')).body;
    await user.untilTalked(data[0]!.id);
    await user.api().post(`/calls/${data[0]!.id}/hangup`);
    await eventually(async () => (await user.call(data[0]!.id)).hangup_cause === 'NORMAL_CLEARING');
  } finally {
    await user.stop();
  }
});

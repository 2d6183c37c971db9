import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startCallingUser } from '../src/calling-user';
import { checkColours, checkPage } from '../src/console/check-page';
import { closeBrowser, closeConsoles, openConsole, type Look } from '../src/console/open-console';
import { takeScreenshot } from '../src/console/screenshot';
import { eventually } from '../src/eventually';
import { guideFolder } from '../src/guides/guide-blocks';
import { testStack } from '../src/test-stack';

const stack = testStack();
const looks: Look[] = [
  { width: 390, scheme: 'dark', locale: 'pt-BR' },
  { width: 1280, scheme: 'light', locale: 'en' },
];
const guides = readdirSync(join(guideFolder, 'en')).map((file) => file.replace(/\.md$/, ''));
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
  await page.goto('/docs#tag/telephony/POST/api/v1/calls');
  await page.getByText('/api/v1/calls', { exact: true }).first().waitFor();
  // What is wrong with the parts of Scalar is for Scalar to mend; the colours in it are ours.
  await checkColours(page);
  await takeScreenshot(page, `docs/reference-${look.width}-${look.scheme}-${look.locale}`);
});

it('the reference is searched, and shows each request in five languages', async () => {
  const { page } = await openConsole(stack, { as: 'nobody', locale: 'en' });
  await page.goto('/docs');
  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click();
  await page.keyboard.type('hangup');
  await page.getByRole('dialog').getByText('/api/v1/calls/{id}/hangup').first().waitFor();
});

it('a request that is tried out with the session of the console really places a call', async () => {
  const user = await startCallingUser(stack, { ramal: '1000' });
  try {
    const { page } = await openConsole(stack, { as: user, locale: 'en' });
    await page.goto('/docs#tag/telephony/POST/api/v1/calls');
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

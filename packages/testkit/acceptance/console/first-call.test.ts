import { randomBytes } from 'node:crypto';
import { checkPage } from '../../src/console/check-page';
import { listenIn, phoneOf } from '../../src/console/console-phone';
import { closeBrowser, closeConsoles, openConsole, type ConsoleWindow } from '../../src/console/open-console';
import { takeScreenshot } from '../../src/console/screenshot';
import { settle } from '../../src/console/settle';
import { testStack } from '../../src/test-stack';
import { openWebhookInbox, type WebhookInbox } from '../../src/webhook-inbox';

const stack = testStack();
const hook = '/first-call';
const receiver = `crm-${randomBytes(4).toString('hex')}`;
let inbox: WebhookInbox;

beforeAll(async () => {
  inbox = await openWebhookInbox();
});

afterEach(closeConsoles);

afterAll(async () => {
  await closeBrowser();
  await inbox?.close();
});

/** In the console, as a person does. */
async function createWebhook({ page, goTo }: ConsoleWindow): Promise<void> {
  await goTo('/webhooks');
  await page.getByRole('button', { name: 'Nova integração' }).first().click();
  await page.getByLabel('Nome').fill(receiver);
  await page.getByLabel('Endereço que recebe').fill(inbox.urlOf(hook));
  await page.getByRole('button', { name: 'Criar' }).click();
  await page.getByRole('heading', { level: 1, name: receiver }).waitFor();
}

test('from the address that npm start prints to a talking call, its recording, price and webhook', async () => {
  const window = await openConsole(stack, { as: 'nobody' });
  const { page } = window;
  await listenIn(window);
  await page.goto(stack.consoleUrl);
  await settle(page);
  await createWebhook(window);

  const pressedAt = Date.now();
  await page.goto(stack.consoleUrl);
  const phone = phoneOf(page);
  await phone.says('Pronto para ligar');
  await phone.open();
  await phone.dock.getByRole('textbox').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(stack.testNumbers.answer);
  await page.keyboard.press('Enter');
  await phone.says('Em chamada');
  await phone.hears();
  await checkPage(page);
  await takeScreenshot(page, 'journeys/first-call-talking-1280');
  await phone.press('Desligar');
  await phone.says('Chamada encerrada.');
  // What people do in it takes them longer than this; a machine that is busy with other tests, too.
  expect(Date.now() - pressedAt).toBeLessThan(60_000);

  await phone.dock.getByRole('link', { name: 'Ver detalhes' }).click();
  // The phone does not hide the page that it led to.
  await phone.dock.getByRole('button', { expanded: false }).waitFor();
  await page.getByRole('button', { name: 'Ouvir' }).waitFor();
  await page.getByText(/Preço da chamada/).waitFor();
  expect(
    await page
      .getByText(/Preço da chamada/)
      .locator('xpath=..')
      .innerText(),
  ).toMatch(/R\$\s0,\d+/);
  const deliveries = page.getByRole('list', { name: 'Webhooks' }).getByRole('listitem');
  await deliveries.filter({ hasText: 'call-priced' }).filter({ hasText: 'Entregue' }).waitFor();
  await deliveries.filter({ hasText: 'call-recorded' }).filter({ hasText: 'Entregue' }).waitFor();
  expect(inbox.received(hook).length).toBeGreaterThanOrEqual(5);

  for (const width of [1280, 390] as const) {
    await window.change({ width });
    await checkPage(page);
    await takeScreenshot(page, `journeys/first-call-ended-${width}`);
  }

  await window.goTo('/webhooks');
  await page.getByRole('link', { name: receiver }).click();
  await page.getByRole('button', { name: 'Adicionar par' }).click();
  await page.getByLabel('Chave').fill('lead');
  await page.getByLabel('Valor', { exact: true }).fill('42');
  await page.getByRole('button', { name: 'Testar com chamadas recentes' }).click();
  await page.getByText(/^0 de [1-9]\d* chamadas? recentes? seriam? enviadas?$/).waitFor();
  await page.getByRole('img', { name: 'Não seria enviada' }).first().waitFor();
  await checkPage(page);
  await takeScreenshot(page, 'journeys/first-call-constraint-390');
});

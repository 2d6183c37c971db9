import type { Page } from 'playwright-core';
import { checkPage } from '../../src/console/check-page';
import { closeBrowser, closeConsoles, openConsole } from '../../src/console/open-console';
import { takeScreenshot } from '../../src/console/screenshot';
import { eventually } from '../../src/eventually';
import { createAdmin, createUser, newUser, type Person } from '../../src/people';
import { testStack } from '../../src/test-stack';
import { openWebhookInbox } from '../../src/webhook-inbox';

const stack = testStack();
let admin: Person & { domain: string };

beforeAll(async () => {
  admin = await createAdmin(stack);
});

afterEach(closeConsoles);
afterAll(closeBrowser);

async function keep(page: Page, name: string): Promise<void> {
  await checkPage(page);
  await takeScreenshot(page, `journeys/rooms-${name}`);
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

/** What a list of settings shows under a name. */
const settingOf = (page: Page, name: string) =>
  page.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd').first();

test('an extension is created with a generated password, and its settings are there to copy', async () => {
  const { page, goTo } = await openConsole(stack, { as: admin, width: 390 });
  await goTo('/extensions');
  await press(page, 'Novo ramal');
  await page.getByLabel('Nome', { exact: true }).fill('Bia');
  await page.getByLabel('Sobrenome').fill('Souza');
  await page.getByLabel('E-mail da pessoa').fill('not an address');
  const generated = await page.getByLabel('Senha').inputValue();
  expect(generated.length).toBeGreaterThanOrEqual(12);
  await press(page, 'Criar');
  await page.getByText('Isto não parece válido.').waitFor();
  await keep(page, 'extension-error-390');
  await page.getByLabel('E-mail da pessoa').fill('bia@example.com');
  await press(page, 'Criar');

  await page.getByRole('heading', { level: 1, name: '1000 · Bia Souza' }).waitFor();
  expect(await settingOf(page, 'Usuário').innerText()).toBe('1000');
  expect(await settingOf(page, 'Domínio').innerText()).toBe(admin.domain);
  await press(page, 'Mostrar Senha');
  expect(await settingOf(page, 'Senha').innerText()).toBe(generated);
  const [host, port] = (stack.sip?.udp ?? '').split(':');
  expect(await settingOf(page, 'Servidor').innerText()).toBe(host);
  expect(await settingOf(page, 'Porta').innerText()).toBe(port);
  expect(await settingOf(page, 'Transporte').innerText()).toBe('UDP, TCP');

  await press(page, 'Gerar QR code');
  await page.getByAltText('QR code para Linphone').waitFor();
  await page.getByText(/^Vale por mais (15:00|14:\d\d)$/).waitFor();
  await press(page, 'Copiar o endereço');
  const address = await page.evaluate<string>('navigator.clipboard.readText()');
  const settings = await fetch(address, { headers: { 'user-agent': 'Linphone-Desktop/5.2.6 LinphoneSDK/5.3.72' } });
  expect([settings.status, await settings.text()]).toEqual([200, expect.stringContaining(`sip:1000@${admin.domain}`)]);
  await keep(page, 'extension-390');

  const save = page.getByRole('button', { name: 'Salvar' });
  expect(await save.isDisabled()).toBe(true);
  await press(page, 'Gerar outra');
  expect(await save.isEnabled()).toBe(true);
  await page.getByLabel('Senha', { exact: true }).fill('');
  expect(await save.isDisabled()).toBe(true);

  // The number of an extension that exists does not overwrite it.
  await goTo('/extensions');
  await press(page, 'Novo ramal');
  await page.getByLabel('Nome', { exact: true }).fill('Caio');
  await page.getByLabel('Sobrenome').fill('Lima');
  await page.getByLabel('E-mail da pessoa').fill('caio@example.com');
  await page.getByLabel('Número do ramal').fill('1000');
  await press(page, 'Criar');
  await page.getByText('Já está em uso.').waitFor();
  const { body } = await admin.api().get<{ senha: string }[]>('/extensions');
  expect(body.map(({ senha }) => senha)).toEqual([generated]);
});

test('an account without calls is led to the dial pad of its phone', async () => {
  const { page, goTo, change } = await openConsole(stack, { as: await createAdmin(stack) });
  await goTo('/calls');
  for (const width of [390, 1280] as const) {
    await change({ width });
    await keep(page, `no-calls-${width}`);
  }
  await press(page, 'Fazer a primeira chamada');
  await press(page, 'Criar meu ramal');
  const number = page.getByRole('textbox', { name: 'Número ou ramal' });
  await number.waitFor();
  await page.keyboard.type('551');
  expect(await number.inputValue()).toBe('551');
  await page.keyboard.press('Escape');
  await number.waitFor({ state: 'detached' });
  await press(page, 'Fazer a primeira chamada');
  await page.keyboard.type('552');
  expect(await number.inputValue()).toBe('552');
  await keep(page, 'first-call-1280');
});

test('a person is created and becomes an administrator; a user is told who may do that', async () => {
  const someone = newUser();
  const user = await createUser(admin);
  const [boss, employee] = await Promise.all([
    openConsole(stack, { as: admin }),
    openConsole(stack, { as: user, width: 390 }),
  ]);
  await boss.goTo('/people');
  await press(boss.page, 'Nova pessoa');
  await boss.page.getByLabel('Nome').fill(someone.name);
  await boss.page.getByLabel('E-mail').fill(user.email);
  await boss.page.getByLabel('Senha inicial').fill(someone.password);
  await press(boss.page, 'Criar');
  await boss.page.getByText('Já está em uso.').waitFor();
  await boss.page.getByLabel('E-mail').fill(someone.email);
  await press(boss.page, 'Criar');
  const row = boss.page.getByRole('row').filter({ hasText: someone.email });
  await row.getByText('Usuário', { exact: true }).filter({ visible: true }).waitFor();
  await row.getByRole('button', { name: `Editar: ${someone.name}` }).click();
  await boss.page.getByLabel('Papel').selectOption('ADMIN');
  await press(boss.page, 'Salvar');
  await row.getByText('Administrador', { exact: true }).filter({ visible: true }).waitFor();
  await keep(boss.page, 'people-1280');

  await employee.goTo('/people');
  await employee.page.getByText('Só administradores criam e mudam pessoas. Peça a quem administra a conta.').waitFor();
  expect(await employee.page.getByRole('button', { name: /Nova pessoa|Editar|Excluir/ }).count()).toBe(0);
  await keep(employee.page, 'people-as-user-390');
});

test('a token is shown once, works, and is refused from the moment it is revoked', async () => {
  const { page, goTo } = await openConsole(stack, { as: admin });
  await goTo('/tokens');
  await press(page, 'Novo token');
  await page.getByLabel('Para que serve').fill('Discador');
  await press(page, 'Criar');
  const token = await settingOf(page, 'Token').innerText();
  await keep(page, 'token-1280');
  const statusOf = async () => (await admin.api().withToken(token).get('/users/me')).status;
  expect(await statusOf()).toBe(200);

  await goTo('/tokens');
  const row = page.getByRole('row').filter({ hasText: 'Discador' });
  await row.waitFor();
  expect(await page.content()).not.toContain(token);
  await row.getByRole('button', { name: 'Revogar' }).click();
  // A dialog hides the rows behind it from their role, so that their absence proves nothing while it is open.
  await page.getByRole('dialog').getByRole('button', { name: 'Revogar' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await row.waitFor({ state: 'detached' });
  expect(await statusOf()).toBe(401);
});

test('credit is bought with PIX: the page turns green by itself once it was paid elsewhere', async () => {
  const { page, context, goTo } = await openConsole(stack, { as: admin, width: 390 });
  await goTo('/credit');
  await page.getByLabel('Valor').fill('3');
  await press(page, 'Continuar');
  await page.getByText('O valor está fora do permitido.').waitFor();
  await page.getByLabel('Valor').fill('75,50');
  await press(page, 'Continuar');
  await page.getByRole('heading', { level: 1, name: /^PIX · R\$\s75,50$/ }).waitFor();
  await page.getByAltText('QR code do PIX').waitFor();
  await press(page, 'Copiar código PIX');
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^000201/);
  await keep(page, 'charge-390');

  const [payer] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Abrir página de pagamento' }).click(),
  ]);
  await payer.getByRole('button', { name: /^Pagar/ }).click();
  await payer.getByText('Pagamento recebido em').waitFor();
  await page.getByText(/^Pago: R\$\s75,50/).waitFor();
  await keep(page, 'charge-paid-390');
  await page.getByRole('link', { name: 'Voltar ao crédito' }).click();
  await page
    .getByRole('status')
    .filter({ hasText: /R\$\s75,50/ })
    .waitFor();
  await page.getByText(/^\+R\$\s75,50$/).waitFor();
  await keep(page, 'credit-390');
});

test('a webhook is created and tried, and a delivery is sent again', async () => {
  const inbox = await openWebhookInbox();
  try {
    const window = await openConsole(stack, { as: admin });
    const { page, goTo } = window;
    await goTo('/webhooks');
    await press(page, 'Nova integração');
    await page.getByLabel('Nome').fill('crm');
    await page.getByLabel('Endereço que recebe').fill('nowhere');
    await press(page, 'Criar');
    await page.getByText('Isto não parece válido.').waitFor();
    await page.getByLabel('Endereço que recebe').fill(inbox.urlOf('/crm'));
    await press(page, 'Criar');
    await page.getByRole('heading', { level: 1, name: 'crm' }).waitFor();

    await press(page, 'Enviar teste');
    await page.getByText('5 de 5 testes chegaram').waitFor();
    expect(inbox.received('/crm').map(({ headers }) => headers['webhook-id']).length).toBe(5);
    const delivery = page.getByRole('button', { name: /channel-hangup.*Entregue/ });
    await delivery.click();
    await page.getByText('Tentativa 1').waitFor();
    for (const width of [1280, 390] as const) {
      await window.change({ width });
      await keep(page, `webhook-${width}`);
    }
    await page.getByRole('button', { name: /^Enviar de novo/ }).click();
    await page.getByText('Tentativa 2').waitFor();
    await eventually(() => inbox.received('/crm').length === 6);

    await press(page, 'Adicionar par');
    await page.getByLabel('Chave').fill('lead');
    await page.getByLabel('Valor', { exact: true }).fill('42');
    await press(page, 'Testar com chamadas recentes');
    await page.getByText('0 de 0 chamadas recentes seriam enviadas').waitFor();

    // The name of an integration that exists does not overwrite it.
    await goTo('/webhooks');
    await press(page, 'Nova integração');
    await page.getByLabel('Nome').fill('crm');
    await page.getByLabel('Endereço que recebe').fill('http://127.0.0.1:9/other');
    await press(page, 'Criar');
    await page.getByText('Já está em uso.').waitFor();
    const { body } = await admin.api().get<{ metadata: { webhookUrl: string } }[]>('/integrations');
    expect(body.map(({ metadata }) => metadata.webhookUrl)).toEqual([inbox.urlOf('/crm')]);
  } finally {
    await inbox.close();
  }
});

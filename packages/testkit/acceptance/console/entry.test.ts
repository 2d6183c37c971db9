import type { Page } from 'playwright-core';
import { checkPage } from '../../src/console/check-page';
import { closeBrowser, closeConsoles, openConsole } from '../../src/console/open-console';
import { takeScreenshot } from '../../src/console/screenshot';
import { queryDatabase } from '../../src/find-in-database';
import { createMailbox, linkIn } from '../../src/mailbox';
import { createAdmin } from '../../src/people';
import { signUpBody } from '../../src/sign-up';
import { createStackClient } from '../../src/stack-client';
import { testStack } from '../../src/test-stack';

const stack = testStack();
const mailbox = createMailbox(stack.mailboxUrl);

afterEach(closeConsoles);
afterAll(closeBrowser);

/** Waits until the page has this heading, and looks at it. */
async function sees(page: Page, title: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

async function keep(page: Page, name: string): Promise<void> {
  await checkPage(page);
  await takeScreenshot(page, `journeys/entry-${name}`);
}

async function logIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Senha').fill(password);
  await page.getByRole('button', { name: 'Entrar' }).click();
}

const optionsOf = (page: Page, label: string) =>
  page
    .getByLabel(label)
    .locator('option')
    .evaluateAll((all) => all.map((option) => option.getAttribute('value')));

/** What stands below a field as its error. */
const errorAt = (page: Page, label: string) =>
  page.getByLabel(label).locator('xpath=ancestor::div[1]').getByRole('alert').innerText();

test('a person signs up, is shown what is wrong, confirms through a renewed link, and enters', async () => {
  const { page } = await openConsole(stack, { as: 'nobody', width: 390 });
  const wish = signUpBody();
  const [name = ''] = wish.domain.split('.');
  await page.goto('/console/');
  await sees(page, 'Entrar');
  await page.getByRole('link', { name: 'Criar conta' }).click();
  await sees(page, 'Criar conta');

  const { crms, userQuantities } = (
    await createStackClient(stack).get<{ crms: string[]; userQuantities: string[] }>('/accounts/signup')
  ).body;
  await page.getByLabel('CRM que vocês usam').waitFor();
  expect(await optionsOf(page, 'CRM que vocês usam')).toEqual(['', ...crms]);
  expect(await optionsOf(page, 'Quantas pessoas vão ligar')).toEqual(['', ...userQuantities]);

  const submit = page.getByRole('button', { name: 'Criar conta' });
  await submit.click();
  await page.getByText('Confira os campos marcados.').waitFor();
  const labels = [
    ...['Nome da empresa', 'Endereço da conta', 'E-mail', 'Senha', 'Telefone da empresa'],
    ...['CRM que vocês usam', 'Quantas pessoas vão ligar'],
  ];
  for (const label of labels) expect([label, await errorAt(page, label)]).toEqual([label, 'Preencha este campo.']);
  await keep(page, 'errors-390');

  await page.getByLabel('Nome da empresa').fill(wish.organization_name);
  await page.getByLabel('Endereço da conta').fill(stack.demo.domain.split('.')[0] ?? '');
  await page.getByLabel('E-mail').fill(wish.email);
  await page.getByLabel('Senha').fill(wish.password);
  await page.getByLabel('Telefone da empresa').fill('11 98765-4321');
  await page.getByLabel('CRM que vocês usam').selectOption(wish.crm);
  await page.getByLabel('Quantas pessoas vão ligar').selectOption(wish.user_quantity);
  await submit.click();
  await page.getByText('Já está em uso.').waitFor();
  expect(await errorAt(page, 'Endereço da conta')).toBe('Já está em uso.');
  await page.getByLabel('Endereço da conta').fill(name);
  await submit.click();
  await sees(page, 'Confirme seu e-mail');
  await keep(page, 'sent-390');

  await page.getByRole('link', { name: 'Entrar' }).click();
  await logIn(page, wish.email, wish.password);
  await page.getByText('Confirme seu e-mail primeiro').waitFor();

  const isConfirmation = ({ text }: { text: string }) => text.includes('/accounts/confirm');
  const first = await mailbox.waitForMail(wish.email, isConfirmation);
  await queryDatabase(
    stack.postgresUrl,
    `UPDATE identity.one_time_tokens SET expires_at = now() - interval '1 second' WHERE email = $1`,
    [wish.email],
  );
  await page.goto(linkIn(first, '/accounts/confirm'));
  await sees(page, 'Este link expirou');
  await keep(page, 'expired-390');
  await page.getByLabel('E-mail').fill(wish.email);
  await page.getByRole('button', { name: 'Enviar novo link' }).click();
  await sees(page, 'Veja sua caixa de entrada');

  const second = await mailbox.waitForMail(wish.email, (mail) => isConfirmation(mail) && mail.text !== first.text);
  await page.goto(linkIn(second, '/accounts/confirm'));
  await page.getByLabel('Senha').fill(wish.password);
  await keep(page, 'confirm-390');
  await page.getByRole('button', { name: 'Confirmar' }).click();
  await sees(page, 'E-mail confirmado');
  await page.getByRole('link', { name: 'Entrar' }).click();
  await logIn(page, wish.email, wish.password);
  await sees(page, 'Visão geral');

  await page.getByRole('button', { name: /^Menu de/ }).click();
  await page.getByRole('menuitem', { name: 'Sair' }).click();
  await sees(page, 'Entrar');
});

test('whoever forgot the password chooses another; the open session ends at once, and the wanted page comes back', async () => {
  const admin = await createAdmin(stack);
  const [open, other] = await Promise.all([
    openConsole(stack, { as: admin }),
    openConsole(stack, { as: 'nobody', width: 390 }),
  ]);
  await open.goTo('/extensions');

  await other.goTo('/webhooks?page=1');
  await sees(other.page, 'Entrar');
  await logIn(other.page, admin.email, 'not the password');
  await other.page.getByText('E-mail ou senha incorretos.').waitFor();
  await keep(other.page, 'refused-390');
  await other.page.getByRole('link', { name: 'Esqueci a senha' }).click();
  await sees(other.page, 'Esqueci a senha');
  await other.page.getByLabel('E-mail').fill(admin.email);
  await other.page.getByRole('button', { name: 'Enviar link' }).click();
  await other.page.getByText('o link está a caminho').waitFor();

  const mail = await mailbox.waitForMail(admin.email, ({ text }) => text.includes('/users/reset-password'));
  const link = linkIn(mail, '/users/reset-password');
  await other.page.goto(link);
  await other.page.getByLabel('Nova senha').fill('a password from the mail');
  await other.page.getByRole('button', { name: 'Trocar a senha' }).click();
  await sees(other.page, 'Senha trocada');

  // Nobody touches the other window.
  await open.page.waitForURL('**/console/login?next=%2Fextensions');
  await logIn(open.page, admin.email, admin.password);
  await open.page.getByText('E-mail ou senha incorretos.').waitFor();
  await logIn(open.page, admin.email, 'a password from the mail');
  await sees(open.page, 'Ramais');

  await other.page.goto(link);
  await sees(other.page, 'Este link já foi usado');
  await keep(other.page, 'used-390');
  await other.page.getByLabel('E-mail').fill(admin.email);
  await other.page.getByRole('button', { name: 'Enviar novo link' }).click();
  await sees(other.page, 'Veja sua caixa de entrada');
});

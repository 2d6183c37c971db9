import { openLivedInAccount, type LivedInAccount } from '../../src/console/lived-in-account';
import { closeBrowser, closeConsoles, openConsole, type ConsoleWindow } from '../../src/console/open-console';
import { createAdmin, type Person } from '../../src/people';
import { testStack } from '../../src/test-stack';
import { pagesOf } from './support/pages';

/** Markup that would leave an element behind, and run a script, wherever it were not text. */
const hostile = '<b class="injected">x</b><img src=x onerror="injected=1">';
const stack = testStack();
let account: LivedInAccount;
let stranger: Person;

beforeAll(async () => {
  [account, stranger] = await Promise.all([openLivedInAccount(stack, () => hostile), createAdmin(stack)]);
});

afterEach(closeConsoles);

afterAll(async () => {
  await closeBrowser();
  await account?.close();
});

const textOf = ({ page }: ConsoleWindow) => page.locator('body').innerText();
const headingOf = ({ page }: ConsoleWindow) => page.locator('h1').first().innerText();

test('markup in names, metadata, descriptions and answers of receivers stays text on every page', async () => {
  const window = await openConsole(stack, { as: account.admin });
  const shownOn: string[] = [];
  for (const [name, path] of pagesOf(account)) {
    await window.goTo(path);
    expect(await window.page.locator('.injected').count()).toBe(0);
    expect(await window.page.evaluate('globalThis.injected')).toBeUndefined();
    if ((await textOf(window)).includes(hostile)) shownOn.push(name);
  }
  expect(shownOn).toEqual(
    expect.arrayContaining(['people', 'extensions', 'extension', 'call', 'webhooks', 'broken-webhook']),
  );
});

test('an e-mail address with markup is refused where it is entered', async () => {
  const { status } = await account.admin.api().patch('/users', { email: `"${hostile}"@example.com` });
  expect(status).toBe(422);
});

test('ids of another account lead to the page of an unknown address, which tells nothing', async () => {
  const window = await openConsole(stack, { as: stranger });
  await window.goTo('/nowhere');
  const notFound = await headingOf(window);
  for (const [, path] of pagesOf(account).filter(([, each]) => /\d/.test(each))) {
    await window.goTo(path);
    expect([path, await headingOf(window)]).toEqual([path, notFound]);
    expect(await textOf(window)).not.toContain('injected');
  }
});

test('without a session every page leads to the login, and from there to the page that was wanted', async () => {
  const window = await openConsole(stack, { as: 'nobody', locale: 'en' });
  for (const [, path] of pagesOf(account)) {
    await window.goTo(path);
    const { pathname, searchParams } = new URL(window.page.url());
    expect([path, pathname, searchParams.get('next') ?? '/']).toEqual([path, '/console/login', path]);
  }
  await window.goTo('/calls?page=1');
  await window.page.getByLabel('E-mail').fill(account.admin.email);
  await window.page.getByLabel('Password', { exact: true }).fill(account.admin.password);
  await window.page.locator('form button[type=submit]').click();
  await window.page.waitForURL('**/console/calls?page=1');
});

test('a session that was ended elsewhere ends in the open window, too', async () => {
  const window = await openConsole(stack, { as: account.user });
  await window.goTo('/calls');
  await window.context.request.delete('/api/v1/session', { headers: { 'x-sabia-console': '1' } });
  await window.page.waitForURL('**/console/login**');
});

import { checkColours, checkPage } from '../../src/console/check-page';
import { openLivedInAccount, type LivedInAccount } from '../../src/console/lived-in-account';
import { closeBrowser, closeConsoles, openConsole, type Look } from '../../src/console/open-console';
import { takeScreenshot } from '../../src/console/screenshot';
import { testStack } from '../../src/test-stack';
import { pagesOf } from './support/pages';

let account: LivedInAccount;

beforeAll(async () => {
  account = await openLivedInAccount(testStack(), (text) => text);
});

afterEach(closeConsoles);

afterAll(async () => {
  await closeBrowser();
  await account?.close();
});

/** The pages before a session. */
const doors: Record<string, string> = { login: '/login', signup: '/signup', forgot: '/forgot', resend: '/resend' };

const bothWidths = [
  { width: 1280, scheme: 'light', check: checkPage },
  { width: 390, scheme: 'dark', check: checkPage },
] as const;
const otherColours = [
  { width: 1280, scheme: 'dark', check: checkColours },
  { width: 390, scheme: 'light', check: checkColours },
] as const;
/** The language changes how much room words need, not their colours. */
const looks = { 'pt-BR': [...bothWidths, ...otherColours], en: bothWidths };

/** Looks at each page; every fault is told, not only the first. */
async function lookAt(
  as: 'nobody' | { email: string; password: string },
  paths: [string, string][],
  locale: Look['locale'],
) {
  const window = await openConsole(testStack(), { as, locale });
  const faults: string[] = [];
  for (const [name, path] of paths) {
    await window.goTo(path);
    for (const { check, width, scheme } of looks[locale]) {
      await window.change({ width, scheme });
      await check(window.page).catch((error: Error) =>
        faults.push(`${name} ${width} ${scheme} ${locale}: ${error.message}`),
      );
      await takeScreenshot(window.page, `${name}/${width}-${scheme}-${locale}`);
    }
    const shown = await window.page.locator('html').getAttribute('lang');
    if (shown !== locale) faults.push(`${name} is in ${shown}`);
  }
  expect(faults).toEqual([]);
  return window;
}

test.each(['pt-BR', 'en'] as const)('every room can be read: %s', async (locale) => {
  const paths = pagesOf(account);
  const { page } = await lookAt(account.admin, paths, locale);
  // A room that is added to the navigation is added to the list.
  await page.setViewportSize({ width: 1280, height: 800 });
  const links = await page.locator('nav a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  const known = paths.map(([, path]) => path);
  expect(links.map((link) => link.replace(/^\/console/, '') || '/').filter((path) => !known.includes(path))).toEqual(
    [],
  );
});

test.each(['pt-BR', 'en'] as const)('every page before a session can be read: %s', async (locale) => {
  await lookAt('nobody', Object.entries(doors), locale);
});

test('why a webhook failed is told in the language of the reader', async () => {
  const { page, goTo, change } = await openConsole(testStack(), { as: account.admin });
  await goTo(`/webhooks/${account.brokenIntegrationId}`);
  await page.getByText('O receptor respondeu 500.').first().waitFor();
  await change({ locale: 'en' });
  await page.getByText('The receiver answered 500.').first().waitFor();
});

test('a charge falls due on the day that was asked for, whatever the time zone of the account', async () => {
  const { page, goTo } = await openConsole(testStack(), { as: account.admin, locale: 'en' });
  await goTo(`/credit/charges/${account.chargeId}`);
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(account.dueDate));
  await page.getByText(day).waitFor();
});

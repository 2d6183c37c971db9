import { randomInt } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../web-phone/launch-chromium';
import { watchForProblems } from './problems';
import { settle } from './settle';

/** What the console looks like in a window. */
export interface Look {
  width: 390 | 1280;
  scheme: 'light' | 'dark';
  locale: 'pt-BR' | 'en';
}

export interface ConsoleOptions extends Partial<Look> {
  /** The stack's demo user, a user with a password, or nobody (signed out). Default: the demo user. */
  as?: 'demo' | 'nobody' | { email: string; password: string };
  /** Problems that the test brings about itself, such as the errors of a gateway that it kills. */
  tolerates?: RegExp[];
}

export interface ConsoleStack {
  gatewayUrl: string;
  demo: { email: string; password: string };
}

/** A browser window with the console, and cookies of its own. */
export interface ConsoleWindow {
  page: Page;
  context: BrowserContext;
  /** Opens a page of the console ("/calls") and waits until it has loaded what it shows. */
  goTo(path: string): Promise<void>;
  /** Changes the width, the colours or the language of the window; the page is loaded again for another language. */
  change(look: Partial<Look>): Promise<void>;
  /** What went wrong in the window so far: errors of scripts, the Content-Security-Policy, foreign requests, 5xx answers. */
  problems(): readonly string[];
  close(): Promise<void>;
}

const heights = { 390: 844, 1280: 800 };
/** Where the console looks for the language that the user chose. */
const localeKey = 'PARAGLIDE_LOCALE';
let browser: Promise<Browser> | undefined;
const windows = new Set<ConsoleWindow>();

/** Opens a window; all windows of a test file share one Chromium. Use with `afterEach(closeConsoles)` or `afterAll(closeConsoles)`. */
export async function openConsole(stack: ConsoleStack, options: ConsoleOptions = {}): Promise<ConsoleWindow> {
  const { as = 'demo', width = 1280, scheme = 'light', locale = 'pt-BR', tolerates = [] } = options;
  browser ??= launchChromium();
  const context = await (
    await browser
  ).newContext({
    baseURL: stack.gatewayUrl,
    viewport: { width, height: heights[width] },
    colorScheme: scheme,
    locale,
    timezoneId: 'America/Sao_Paulo',
    // Nothing moves while it is looked at.
    reducedMotion: 'reduce',
    permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
    // An address of its own, so that no other test uses up its rate limits.
    extraHTTPHeaders: { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}` },
  });
  context.setDefaultTimeout(180_000);
  const problems = await watchForProblems(context, stack.gatewayUrl, tolerates);
  if (as !== 'nobody') await logIn(context, as === 'demo' ? stack.demo : as);
  const page = await context.newPage();

  let shown: Look = { width, scheme, locale };

  const opened: ConsoleWindow = {
    page,
    context,
    async goTo(path) {
      await page.goto(`/console${path}`, { waitUntil: 'domcontentloaded' });
      await settle(page);
    },
    async change(look) {
      const {
        width: newWidth = shown.width,
        scheme: newScheme = shown.scheme,
        locale: newLocale = shown.locale,
      } = look;
      if (newWidth !== shown.width) await page.setViewportSize({ width: newWidth, height: heights[newWidth] });
      if (newScheme !== shown.scheme) await page.emulateMedia({ colorScheme: newScheme });
      if (newLocale !== shown.locale) {
        await page.evaluate(`localStorage.setItem('${localeKey}', '${newLocale}')`);
        await page.reload({ waitUntil: 'domcontentloaded' });
      }
      shown = { width: newWidth, scheme: newScheme, locale: newLocale };
      await settle(page);
    },
    problems: () => problems,
    async close() {
      windows.delete(opened);
      await context.close();
    },
  };
  windows.add(opened);
  return opened;
}

/** Closes all windows and fails if anything went wrong in one of them. */
export async function closeConsoles(): Promise<void> {
  const found = [...windows].flatMap((each) => each.problems());
  await Promise.all([...windows].map((each) => each.close()));
  if (found.length > 0) throw new Error(`the console had problems:\n${[...new Set(found)].join('\n')}`);
}

/** For the end of a test file. */
export async function closeBrowser(): Promise<void> {
  const launched = browser;
  browser = undefined;
  await (await launched)?.close();
}

/** Sets the session's cookie, as the login page does. */
async function logIn(context: BrowserContext, { email, password }: { email: string; password: string }): Promise<void> {
  const answer = await context.request.post('/api/v1/session', {
    data: { email, password },
    headers: { 'x-sabia-console': '1' },
  });
  if (!answer.ok()) throw new Error(`POST /session answered ${answer.status()}: ${await answer.text()}`);
}

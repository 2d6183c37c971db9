import type { Page } from 'playwright-core';
import { eventually } from '../eventually';

/**
 * Waits until the page shows its heading, nothing in it says that it is loading, and two frames have been drawn since. The end of all
 * requests cannot be waited for: the stream of events never ends.
 */
export async function settle(page: Page): Promise<void> {
  // Asked again and again from here: the Content-Security-Policy does not let a page evaluate strings by itself.
  const shown = `document.querySelector('h1') !== null && !document.querySelector('.animate-spin, [aria-busy="true"]')`;
  await eventually(() => page.evaluate<boolean>(shown), { timeoutMs: 60_000 });
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))');
}

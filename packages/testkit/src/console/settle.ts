import type { Page } from 'playwright-core';
import { eventually } from '../eventually';

/** In the page: its heading is there, nothing says that it is loading, and no colour or size is still changing. */
const shown = `document.querySelector('h1') !== null
  && !document.querySelector('.animate-spin, [aria-busy="true"]')
  && !document.getAnimations().some((animation) => animation instanceof CSSTransition)`;
const twoFrames = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))';

/**
 * Waits until the page has loaded and drawn what it shows. The end of all requests cannot be waited for: the stream of events never
 * ends. The page is asked again and again from here, because its Content-Security-Policy does not let it evaluate strings by itself.
 */
export async function settle(page: Page): Promise<void> {
  await eventually(() => page.evaluate<boolean>(`${twoFrames}.then(() => ${shown})`));
}

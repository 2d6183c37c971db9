import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { findCutText } from './cut-text';

interface AxeFinding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/** WCAG 2.2 up to AA. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const SERIOUS = ['serious', 'critical'];

/** The only rule whose answer depends on the colours. */
const CONTRAST = 'color-contrast';

/** Fails if axe finds anything serious, text is cut off, or the page scrolls sideways. */
export async function checkPage(page: Page): Promise<void> {
  report(page, [...(await runAxe(page, { type: 'tag', values: RULES })), ...(await findCutText(page))]);
}

/** For a page that was checked in other colours: only what colours change is looked at again. */
export async function checkColours(page: Page): Promise<void> {
  report(page, await runAxe(page, { type: 'rule', values: [CONTRAST] }));
}

function report(page: Page, faults: string[]): void {
  if (faults.length > 0) throw new Error(`${page.url()}:\n${faults.join('\n')}`);
}

/** The debugger evaluates the script, so the Content-Security-Policy of the page stays as it is. */
async function runAxe(page: Page, runOnly: { type: 'tag' | 'rule'; values: string[] }): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  const options = { runOnly, resultTypes: ['violations'], preload: false };
  const { violations } = await page.evaluate<{ violations: AxeFinding[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations
    .filter(({ impact }) => impact !== null && SERIOUS.includes(impact))
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => `${id} at ${target.join(' ')}: ${help}. ${failureSummary}`),
    );
}

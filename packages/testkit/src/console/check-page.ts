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

/** Fails if axe finds anything serious, text is cut off, or the page scrolls sideways. */
export async function checkPage(page: Page): Promise<void> {
  const faults = [...(await runAxe(page)), ...(await findCutText(page))];
  if (faults.length > 0) throw new Error(`${page.url()}:\n${faults.join('\n')}`);
}

/** The debugger evaluates the script, so the Content-Security-Policy of the page stays as it is. */
async function runAxe(page: Page): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  const options = { runOnly: { type: 'tag', values: RULES }, resultTypes: ['violations'], preload: false };
  const { violations } = await page.evaluate<{ violations: AxeFinding[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations
    .filter(({ impact }) => impact !== null && SERIOUS.includes(impact))
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => `${id} at ${target.join(' ')}: ${help}. ${failureSummary}`),
    );
}

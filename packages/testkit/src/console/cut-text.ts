import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@sabia/embedded/project';
import type { Page } from 'playwright-core';

const script = readFileSync(join(projectRoot, 'packages/testkit/src/console/cut-text.page.mjs'), 'utf8');

/** Text that a reader cannot see whole: cut off by its box, or outside of the window where nothing scrolls. */
export function findCutText(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(script);
}

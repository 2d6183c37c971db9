import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '@sabia/embedded/project';
import type { Page } from 'playwright-core';
import { areScreenshotsTaken } from '../config';

/** Outside of the homes of test runs, which are removed. */
const FOLDER = join(projectRoot, '.sabia/screenshots');

/** Keeps a picture of the whole page where pictures are asked for. The name may have folders: "calls/390-dark-en". */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!areScreenshotsTaken()) return;
  const path = join(FOLDER, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '@sabia/service-kit/brand/language';
import { renderMarkdown } from './markdown';
import type { RenderedMarkdown } from './markdown';

/** In the order in which they are listed. */
export const guideNames = [
  'quickstart',
  'authentication',
  'calls',
  'softphones',
  'webhooks',
  'events',
  'recordings',
  'top-up',
  'money',
  'times',
  'filters',
  'errors',
  'limits',
  'idempotency',
  'moving-over',
  'glossary',
] as const;

export type GuideName = (typeof guideNames)[number];

export interface Guides {
  titles(language: Language): Record<GuideName, string>;
  read(name: GuideName, language: Language): RenderedMarkdown;
}

export const isGuideName = (name: string): name is GuideName => (guideNames as readonly string[]).includes(name);

/** The address that the guides are written with; readers see that of their own gateway. */
const WRITTEN_ADDRESS = 'http://localhost:8080';

/** The guides in a folder with one folder for each language, or undefined if there is none. Each is read when it is first asked for. */
export function openGuides(folder: string, publicUrl: string): Guides | undefined {
  if (!existsSync(folder)) return undefined;
  const textOf = (name: GuideName, language: Language): string =>
    readFileSync(join(folder, language, `${name}.md`), 'utf8').replaceAll(WRITTEN_ADDRESS, publicUrl);
  return {
    titles: (language) =>
      Object.fromEntries(
        guideNames.map((name) => [name, /^# (.*)$/m.exec(textOf(name, language))?.[1] ?? name]),
      ) as Record<GuideName, string>,
    read: (name, language) => renderMarkdown(textOf(name, language)),
  };
}

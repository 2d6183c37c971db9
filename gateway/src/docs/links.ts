import { languages } from '@sabia/service-kit/brand/language';
import type { Language } from '@sabia/service-kit/brand/language';
import { words } from './words';

export const DOCS_PATH = '/docs';

/** The links at the top of every page below /docs. `name`: the guide, empty for the reference. */
export function docsLinks(language: Language, name: string): { address: string; label: string }[] {
  const { reference, guides, otherLanguage } = words[language];
  const other = languages.find((each) => each !== language)!;
  const of = (which: Language, page: string): string => `${DOCS_PATH}/${which}/${page}`;
  return [
    { address: of(language, 'quickstart'), label: guides },
    { address: of(language, ''), label: reference },
    { address: of(other, name), label: otherLanguage },
  ];
}

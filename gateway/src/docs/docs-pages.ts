import { isLanguage, languages } from '@sabia/service-kit/brand/language';
import type { Language } from '@sabia/service-kit/brand/language';
import type { ConsoleFiles } from '../console/console-files';
import { fileAddress } from '../console/console-pages';
import { pageHeaders, referenceHeaders } from '../http/headers';
import type { HttpResponse } from '../http/response';
import { guidePage } from './guide-page';
import { isGuideName } from './guides';
import type { Guides } from './guides';
import { referencePage } from './reference-page';

export interface DocsParts {
  /** Undefined: a gateway without the folder of the guides. */
  guides?: Guides;
  /** Undefined: the console, and with it the reference, was not built. */
  consoleFiles?: ConsoleFiles;
}

/** A page below /docs, or undefined: there is none at this path. */
export type DocsPages = (path: string, preferred: Language) => HttpResponse | undefined;

/** /docs is the reference, /docs/quickstart a guide, both in the reader's language; /docs/en/… and /docs/pt-BR/… name it. */
export function createDocsPages({ guides, consoleFiles }: DocsParts): DocsPages {
  const script = consoleFiles && fileAddress(consoleFiles, /^assets\/reference-[\w-]+\.js$/);
  const references = Object.fromEntries(
    languages.map((language) => [language, page(referencePage(language, script), referenceHeaders)]),
  );
  // Few people read them, so each is drawn when it is first asked for.
  const drawn = new Map<string, HttpResponse>();

  return (path, preferred) => {
    const [, , first = '', second = ''] = path.split('/');
    const [language, name] = isLanguage(first) ? [first, second] : [preferred, first];
    if (name === '') return references[language];
    if (guides === undefined || !isGuideName(name)) return undefined;
    const key = `${language}/${name}`;
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const html = guidePage(guides, name, language);
    const response = page(html, pageHeaders(html));
    drawn.set(key, response);
    return response;
  };
}

const page = (body: string, base: HttpResponse['base']): HttpResponse => ({
  status: 200,
  body,
  contentType: 'text/html; charset=utf-8',
  headers: { vary: 'Accept-Language' },
  base,
});

import type { Language } from '@sabia/service-kit/brand/language';
import { layout } from '../pages/layout';
import { docsLinks } from './links';
import { referenceStyle } from './style';
import { words } from './words';

/** The frame around the reference, which the script (packages/console/src/reference) draws from the OpenAPI document. */
export function referencePage(language: Language, script: string | undefined): string {
  const { reference, guides, signedIn, signedOut, logIn, loading, needsScript } = words[language];
  const openApi = language === 'en' ? '/openapi.json' : `/openapi.${language}.json`;
  const without = `${needsScript} <a href="/docs/${language}/quickstart">${guides}</a>, <a href="${openApi}">OpenAPI</a>`;
  return layout({
    language,
    title: reference,
    style: referenceStyle,
    links: docsLinks(language, ''),
    body: `<p id="session" hidden><span data-when="in">${signedIn} <strong data-email></strong>.</span><span data-when="out">${signedOut} <a href="/console/login" target="_blank">${logIn}</a></span></p>
${
  script === undefined
    ? `<p class="wait">${without}</p>`
    : `<div id="reference" data-document="${openApi}"><p class="wait">${loading}</p></div>
<noscript><p class="wait">${without}</p></noscript>
<script type="module" src="${script}"></script>`
}`,
  });
}

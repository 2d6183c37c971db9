import type { Language } from '@sabia/service-kit/brand/language';
import { escapeHtml } from '@sabia/service-kit/brand/html';
import { inlineMark, markDataUrl } from '@sabia/service-kit/brand/mark';
import { brandName } from '@sabia/service-kit/brand/palette';
import { pageHeaders } from '../http/headers';
import type { HttpResponse } from '../http/response';
import { baseStyle } from './style';

export interface Layout {
  language: Language;
  /** Without the name of the product; none for the home page. */
  title?: string;
  /** HTML. */
  body: string;
  /** Beyond that of every page. */
  style?: string;
  /** At the top, before the one to the console. */
  links?: { address: string; label: string }[];
}

const words: Record<Language, { console: string; reference: string; state: string }> = {
  'pt-BR': { console: 'Console', reference: 'Referência da API', state: 'Estado do serviço' },
  en: { console: 'Console', reference: 'API reference', state: 'Service state' },
};

/** The frame of every page. Everything is in the page itself: no font, no image, no script from anywhere. */
export function layout({ language, title, body, style = '', links = [] }: Layout): string {
  const { console, reference, state } = words[language];
  const atTop = [...links, { address: '/console/', label: console }].map(
    ({ address, label }) => `<a href="${address}">${label}</a>`,
  );
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === undefined ? brandName : `${escapeHtml(title)} · ${brandName}`}</title>
<link rel="icon" href="${markDataUrl}">
<style>${baseStyle}${style}</style>
</head>
<body>
<header class="top"><a class="brand" href="/">${inlineMark(32)}${brandName}</a><nav>${atTop.join('')}</nav></header>
<main>
${body}
</main>
<footer><a href="/docs">${reference}</a><a href="/openapi.json">OpenAPI</a><a href="/readyz">${state}</a></footer>
</body>
</html>
`;
}

export interface PersonalPage extends Layout {
  status: number;
  headers?: Readonly<Record<string, string>>;
}

/** A page for the one person who asked for it; its forms may post to the gateway. */
export function personalPage({ status, headers, ...content }: PersonalPage): HttpResponse {
  const body = layout(content);
  return {
    status,
    body,
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-language': content.language, vary: 'Accept, Accept-Language', ...headers },
    base: pageHeaders(body, { personal: true, forms: true }),
  };
}

/** A heading in which a line never ends after the hyphen of "e-mail". */
export const heading = (text: string): string =>
  `<h1>${text.replace(/e-mail/gi, '<span class="whole">$&</span>')}</h1>`;

const signs = {
  good: '<path d="M5 12.5 10 17.5 19.5 7"/>',
  bad: '<path d="M12 5v8.5"/><path d="M12 18.6v.01"/>',
  mail: '<rect x="3.5" y="5.5" width="17" height="13" rx="2.5"/><path d="m4 7.5 8 6 8-6"/>',
};

/** The sign at the top of a card that tells of an outcome. */
export const sign = (kind: keyof typeof signs): string =>
  `<div class="sign ${kind}" aria-hidden="true"><svg width="26" height="26" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round">${signs[kind]}</svg></div>`;

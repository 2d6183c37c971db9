import { createHash } from 'node:crypto';
import { languages, type Language } from '@sabia/service-kit/brand/language';
import { inlineMark, markDataUrl } from '@sabia/service-kit/brand/mark';
import { brandName } from '@sabia/service-kit/brand/palette';
import { mailboxScript } from './script';
import { mailboxStyle } from './style';

interface Words {
  title: string;
  about: string;
  back: string;
  list: string;
  none: string;
  choose: string;
  noSubject: string;
  from: string;
  to: string;
  mail: string;
  text: string;
  away: string;
}

const dictionaries: Record<Language, Words> = {
  'pt-BR': {
    title: 'Caixa de entrada',
    about: 'Todo e-mail que este ambiente envia chega aqui; nenhum sai desta máquina.',
    back: 'Voltar',
    list: 'E-mails',
    none: 'Nenhum e-mail ainda. Esta página se atualiza sozinha.',
    choose: 'Escolha um e-mail para ler.',
    noSubject: '(sem assunto)',
    from: 'de',
    to: 'para',
    mail: 'E-mail',
    text: 'Texto puro',
    away: 'A caixa de entrada não responde; tentando de novo.',
  },
  en: {
    title: 'Mailbox',
    about: 'Every mail that this stack sends lands here; none leaves the machine.',
    back: 'Back',
    list: 'Mails',
    none: 'No mail yet. This page refreshes itself.',
    choose: 'Choose a mail to read it.',
    noSubject: '(no subject)',
    from: 'from',
    to: 'to',
    mail: 'Mail',
    text: 'Plain text',
    away: 'The mailbox does not answer; trying again.',
  },
};

export const mailboxPages = Object.fromEntries(languages.map((language) => [language, draw(language)])) as Record<
  Language,
  string
>;

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page runs its own script and style, fetches the list of mails and frames a mail; nothing else. */
export const mailboxPolicy = [
  "default-src 'none'",
  `script-src ${sourceOf(mailboxScript)}`,
  `style-src ${sourceOf(mailboxStyle)}`,
  'img-src data:',
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function draw(language: Language): string {
  const words = dictionaries[language];
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${words.title} · ${brandName}</title>
<link rel="icon" href="${markDataUrl}">
<style>${mailboxStyle}</style>
</head>
<body>
<header>
  <button id="back" type="button">‹ ${words.back}</button>
  <h1>${inlineMark(28)}<span>${brandName} <small>${words.title}</small></span></h1>
  <p id="state">${words.about}</p>
</header>
<main>
  <ul id="list" aria-label="${words.list}"></ul>
  <article id="reader" aria-live="polite"></article>
</main>
<script type="application/json" id="words">${JSON.stringify({ language, words })}</script>
<script>${mailboxScript}</script>
</body>
</html>
`;
}

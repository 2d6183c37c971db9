import type { Language } from '@sabia/service-kit/brand/language';

export interface Words {
  reference: string;
  guides: string;
  /** The other language, in that language. */
  otherLanguage: string;
  signedIn: string;
  signedOut: string;
  logIn: string;
  loading: string;
  needsScript: string;
}

export const words: Record<Language, Words> = {
  'pt-BR': {
    reference: 'Referência da API',
    guides: 'Guias',
    otherLanguage: 'English',
    signedIn: 'As requisições que você testar aqui são reais e saem em nome de',
    signedOut:
      'As requisições que você testar aqui são reais. Para que saiam em seu nome, entre no console ou cole um token.',
    logIn: 'Entrar no console',
    loading: 'A referência está sendo carregada.',
    needsScript: 'A referência precisa de JavaScript. Sem ele: os guias, e o documento OpenAPI.',
  },
  en: {
    reference: 'API reference',
    guides: 'Guides',
    otherLanguage: 'Português',
    signedIn: 'Requests that you try here are real, and sent on behalf of',
    signedOut: 'Requests that you try here are real. To send them as yourself, log in to the console or paste a token.',
    logIn: 'Log in to the console',
    loading: 'The reference is being loaded.',
    needsScript: 'The reference needs JavaScript. Without it there are the guides, and the OpenAPI document.',
  },
};

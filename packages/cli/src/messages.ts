import { en } from './messages/en';
import { ptBr } from './messages/pt-br';

export const languages = ['en', 'pt-BR'] as const;
export type Language = (typeof languages)[number];

/** Every text that a person reads. */
export type Messages = typeof en;

const byLanguage: Readonly<Record<Language, Messages>> = { en, 'pt-BR': ptBr };

export const messagesOf = (language: Language): Messages => byLanguage[language];

import { languages } from '@sabia/service-kit/brand/language';
import type { Language } from '@sabia/service-kit/brand/language';
import { unitsPerReal } from '../domain/money';
import type { Money } from '../domain/money';

export interface PageFormats {
  reais(amount: Money): string;
  moment(at: Date): string;
  /** Of a date without a time. */
  day(date: string): string;
}

const formats = Object.fromEntries(languages.map((language) => [language, create(language)])) as Record<
  Language,
  PageFormats
>;

/** Money and times as the payer writes them. The times are those of Brazil, where the payment is due. */
export const formatsOf = (language: Language): PageFormats => formats[language];

function create(language: Language): PageFormats {
  const money = new Intl.NumberFormat(language, { style: 'currency', currency: 'BRL' });
  const timeZone = 'America/Sao_Paulo';
  const brief = language === 'pt-BR';
  const moments = new Intl.DateTimeFormat(language, {
    dateStyle: brief ? 'short' : 'medium',
    timeStyle: 'short',
    timeZone,
  });
  // In English the order of day and month depends on the country, so the month is written out.
  const days = new Intl.DateTimeFormat(language, {
    ...(brief ? { day: '2-digit', month: '2-digit', year: 'numeric' } : { dateStyle: 'long' }),
    timeZone: 'UTC',
  });
  return {
    // Less than a hundred thousand million reais with two decimals: a double shows that exactly.
    reais: (amount) => money.format(amount / unitsPerReal),
    moment: (at) => moments.format(at),
    day: (date) => days.format(new Date(`${date}T00:00:00Z`)),
  };
}

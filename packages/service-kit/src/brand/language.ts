/** The languages of pages and mails, the default first. */
export const languages = ['pt-BR', 'en'] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = 'pt-BR';

export const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text);

/** The language that an Accept-Language header prefers among ours. Every Portuguese and every English counts. */
export function preferredLanguage(header: string | undefined): Language {
  let best: { language: Language; quality: number } | undefined;
  for (const range of header?.slice(0, 1_000).split(',') ?? []) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = languages.find((each) => each.slice(0, 2) === tag.split('-', 1)[0]);
    const quality = qualityOf(parameters);
    if (language !== undefined && quality > (best?.quality ?? 0)) {
      best = { language, quality };
    }
  }
  return best?.language ?? defaultLanguage;
}

function qualityOf(parameters: string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = given === undefined ? 1 : Number(given);
  return quality >= 0 && quality <= 1 ? quality : 0;
}

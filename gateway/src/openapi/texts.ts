import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Language } from '@sabia/service-kit/brand/language';
import { defaultProtoRoot } from '../contract/contract';

/** Says a text, which is written in English, in the language of the document. {name} in it stands for the value of that name. */
export type Say = (english: string, values?: Readonly<Record<string, string | number>>) => string;

/** The translation of every text of the document, by the English text: one that is changed has none until it is translated again. */
export type Catalogue = Readonly<Record<string, string>>;

export const readCatalogue = (language: Exclude<Language, 'en'>): Catalogue =>
  JSON.parse(readFileSync(path.join(defaultProtoRoot(), 'openapi', `${language}.json`), 'utf8')) as Catalogue;

export const createSay =
  (catalogue: Catalogue = {}): Say =>
  (english, values = {}) =>
    (catalogue[english] ?? english).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

export const sayIn = (language: Language): Say => createSay(language === 'en' ? {} : readCatalogue(language));

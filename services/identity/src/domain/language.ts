import { languages } from '@sabia/service-kit/brand/language';
import type { Language } from '@sabia/service-kit/brand/language';
import type { Violations } from '@sabia/service-kit/validation/violations';

/** The language of an account or a user, in any case; undefined if none is given. */
export function checkLanguage(violations: Violations, value: string | undefined): Language | undefined {
  const language = languages.find((known) => known.toLowerCase() === value?.trim().toLowerCase());
  if (value !== undefined && language === undefined) {
    violations.add('language', 'inclusion', `must be one of ${languages.join(', ')}`);
  }
  return language;
}

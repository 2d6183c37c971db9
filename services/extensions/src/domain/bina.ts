import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Violations } from '@sabia/service-kit/validation/violations';

/** International with or without the plus, or national of the given country; E.164 digits, or undefined if it is no number. */
export function normalizePhone(text: string, country: CountryCode): string | undefined {
  const national = parsePhoneNumberFromString(text, country);
  const number = national?.isValid() || !/^\s*\d/.test(text) ? national : parsePhoneNumberFromString(`+${text.trim()}`);
  return number?.isValid() && number.ext === undefined ? number.number.slice(1) : undefined;
}

/** Optional; an empty text means none. */
export function checkBina(violations: Violations, value: string, country: CountryCode): string | null {
  if (value.trim() === '') {
    return null;
  }
  const bina = normalizePhone(value, country);
  if (bina === undefined) {
    violations.add('bina', 'format', 'is not a valid phone number');
  }
  return bina ?? null;
}

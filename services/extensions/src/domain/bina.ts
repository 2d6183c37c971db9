import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Violations } from '@sabia/service-kit/validation/violations';
import type { ExtensionFields } from './extension';

/** E.164 digits of an international number, with or without the plus, or of a national one; undefined if it is not a number. */
export function normalizePhone(text: string, country: CountryCode): string | undefined {
  const national = parsePhoneNumberFromString(text, country);
  const number = national?.isValid() || !/^\s*\d/.test(text) ? national : parsePhoneNumberFromString(`+${text.trim()}`);
  return number?.isValid() && number.ext === undefined ? number.number.slice(1) : undefined;
}

/** Optional; an empty text means none. Stored in digits for carriers and comparisons, and as written for display. */
export function checkBina(
  violations: Violations,
  value: string,
  country: CountryCode,
): Pick<ExtensionFields, 'bina' | 'binaAsSent'> {
  if (value.trim() === '') {
    return { bina: null, binaAsSent: null };
  }
  const bina = normalizePhone(value, country);
  if (bina === undefined) {
    violations.add('bina', 'format', 'is not a valid phone number');
  }
  return { bina: bina ?? null, binaAsSent: value };
}

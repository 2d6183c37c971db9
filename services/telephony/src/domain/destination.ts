import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';

/** International with or without the plus, or national of the given country; E.164 digits, or undefined if it is no number. */
export function normalizeDestination(text: string, country: CountryCode): string | undefined {
  const national = parsePhoneNumberFromString(text, country);
  const number = national?.isValid() || !/^\s*\d/.test(text) ? national : parsePhoneNumberFromString(`+${text.trim()}`);
  return number?.isValid() && number.ext === undefined ? number.number.slice(1) : undefined;
}

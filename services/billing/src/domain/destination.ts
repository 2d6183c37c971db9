import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { CountryCode } from 'libphonenumber-js';

const LONGEST_E164 = 15;

/**
 * E.164 digits of the input: international with or without +, or national in the default country. A prefix ("5511") is accepted
 * unchanged, to ask for the price of an area. Undefined if it is not a destination.
 */
export function destinationDigits(text: string, defaultCountry: string): string | undefined {
  const compact = text.replace(/[\s().-]/g, '');
  if (!/^\+?\d+$/.test(compact)) {
    return undefined;
  }
  const digits = compact.replace(/^\+/, '');
  const national = compact.startsWith('+')
    ? undefined
    : parsePhoneNumberFromString(digits, defaultCountry as CountryCode);
  const international = parsePhoneNumberFromString(`+${digits}`);
  // "11 3000-0000" and "55 11 3000-0000": whichever reading is a valid number, the national one first.
  const valid = [national, international].find((number) => number?.isValid());
  const result = valid?.number.slice(1) ?? digits.replace(/^0+/, '');
  return result.length > 0 && result.length <= LONGEST_E164 ? result : undefined;
}

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';

/** How an incomplete number is completed. */
export interface Dialling {
  country: CountryCode;
  /** The area code of the account, for numbers without one. */
  areaCode?: string;
}

/** A national number of at most this many digits that is not valid as it stands lacks its area code. */
const longestLocal: Partial<Record<CountryCode, number>> = { BR: 9 };

/**
 * The E.164 digits of a number that is international (with or without the plus), national or local; undefined if no number has
 * that length. Readings that are assigned numbers are preferred; any other of the right length is left to the carrier to judge.
 */
export function normalizeDestination(text: string, { country, areaCode }: Dialling): string | undefined {
  const national = parsePhoneNumberFromString(text, country);
  if (national?.isValid()) {
    return digitsOf(national);
  }
  const international = /^\s*\d/.test(text) ? parsePhoneNumberFromString(`+${text.trim()}`) : undefined;
  if (international?.isValid()) {
    return digitsOf(international);
  }
  // Leading zeros are dialling prefixes, unless the number exists with them.
  if (national === undefined || !national.isPossible() || national.nationalNumber.startsWith('0')) {
    return undefined;
  }
  if (national.country === country && national.nationalNumber.length <= (longestLocal[country] ?? 0)) {
    const local = areaCode ? parsePhoneNumberFromString(areaCode + national.nationalNumber, country) : undefined;
    return local?.isPossible() ? digitsOf(local) : undefined;
  }
  return digitsOf(national);
}

/** An extension behind a switchboard cannot be dialled. */
const digitsOf = ({ number, ext }: PhoneNumber): string | undefined =>
  ext === undefined ? number.slice(1) : undefined;

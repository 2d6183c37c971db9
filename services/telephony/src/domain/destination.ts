import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';

/** How a number that is not written in full is completed. */
export interface Dialling {
  country: CountryCode;
  /** Of the account: put before a number that has none. */
  areaCode?: string;
}

/** National numbers of at most so many digits that exist nowhere as they are lack their area code. */
const longestLocal: Partial<Record<CountryCode, number>> = { BR: 9 };

/**
 * E.164 digits of a number that is international with or without the plus, national, or local; undefined if no number can have that
 * length. Numbers that were assigned are preferred; of the others only the length is known to be right, and the carrier decides.
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
  // Zeros in front are how a number is dialled, never a part of it, unless it is one that exists.
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

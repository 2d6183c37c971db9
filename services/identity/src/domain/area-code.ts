import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Violations } from '@sabia/service-kit/validation/violations';

/** How many digits an area code has, in countries where all have the same number. */
const areaCodeLengths: Partial<Record<CountryCode, number>> = { BR: 2 };

/** The area code of a phone; undefined where area codes are of no fixed length. */
export function areaCodeOf(phone: string, country: CountryCode): string | undefined {
  const number = parsePhoneNumberFromString(phone, country) ?? parsePhoneNumberFromString(`+${phone}`);
  const length = number?.country === undefined ? undefined : areaCodeLengths[number.country];
  return length === undefined || number?.country !== country ? undefined : number.nationalNumber.slice(0, length);
}

/** null removes the area code, so that of the account's phone is used again. */
export function checkAreaCode(violations: Violations, value: string): string | null {
  const digits = value.trim().replace(/^0/, '');
  if (digits !== '' && !/^\d{1,5}$/.test(digits)) {
    violations.add('areaCode', 'format', 'must be an area code, such as 11');
  }
  return digits === '' ? null : digits;
}

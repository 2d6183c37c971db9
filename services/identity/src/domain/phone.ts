import { isValidPhoneNumber } from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import { checkLine } from '@sabia/service-kit/validation/text-field';
import type { Violations } from '@sabia/service-kit/validation/violations';

const maximumLength = 32;

/** Accepts international numbers with or without the plus, and national ones of the configured country. Stored as written. */
export function isPhone(value: string, country: CountryCode): boolean {
  return isValidPhoneNumber(value, country) || (/^\d/.test(value) && isValidPhoneNumber(`+${value}`));
}

export function checkPhone(
  violations: Violations,
  field: string,
  value: string | undefined,
  country: CountryCode,
): string {
  const phone = checkLine(violations, field, value, maximumLength);
  if (phone !== '' && !isPhone(phone, country)) {
    violations.add(field, 'format', 'is not a valid phone number');
  }
  return phone;
}

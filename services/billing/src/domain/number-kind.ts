import { AsYouType, parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface NumberKind {
  /** ISO 3166. Numbers of no country, such as those of satellites, have neither. */
  country?: string;
  type?: 'mobile' | 'fixed-line';
}

const types: Record<string, NumberKind['type']> = { MOBILE: 'mobile', FIXED_LINE: 'fixed-line' };

/** Where E.164 digits, or the first of them, lead. Decks describe that in words of their own, which cannot be translated. */
export function numberKind(digits: string): NumberKind {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (number?.isValid() && number.country !== undefined) {
    return { country: number.country, type: types[number.getType() ?? ''] };
  }
  const begun = new AsYouType();
  begun.input(`+${digits}`);
  return { country: begun.getCountry() };
}

export type PersonType = 'FISICA' | 'JURIDICA';

export interface TaxId {
  /** Digits, and in a company's id of 2026 letters too, without punctuation. */
  value: string;
  personType: PersonType;
}

const ZERO = '0'.charCodeAt(0);

/**
 * CPF (11 digits), CNPJ (14 digits) and the alphanumeric CNPJ that is issued from July 2026 (12 digits or capitals and two
 * check digits), each with its check digits. Punctuation is dropped. Undefined: none of them.
 */
export function parseTaxId(text: string): TaxId | undefined {
  const value = text.replace(/[\s./-]/g, '').toUpperCase();
  if (/^\d{11}$/.test(value)) {
    return isRepdigit(value) || !hasCheckDigits(value, cpfWeights) ? undefined : { value, personType: 'FISICA' };
  }
  if (/^[0-9A-Z]{12}\d{2}$/.test(value)) {
    return isRepdigit(value) || !hasCheckDigits(value, cnpjWeights) ? undefined : { value, personType: 'JURIDICA' };
  }
  return undefined;
}

const cpfWeights = (length: number, at: number): number => length + 1 - at;
/** 2 to 9 from the right, again and again. */
const cnpjWeights = (length: number, at: number): number => ((length - 1 - at) % 8) + 2;

function hasCheckDigits(value: string, weight: (length: number, at: number) => number): boolean {
  return [value.length - 2, value.length - 1].every((position) => {
    let sum = 0;
    for (let at = 0; at < position; at++) {
      // A letter counts as its place in ASCII after '0': A is 17.
      sum += (value.charCodeAt(at) - ZERO) * weight(position, at);
    }
    const rest = sum % 11;
    return value.charCodeAt(position) - ZERO === (rest < 2 ? 0 : 11 - rest);
  });
}

/** 111.111.111-11 has right check digits but is assigned to no person. */
const isRepdigit = (value: string): boolean => /^(.)\1*$/.test(value);

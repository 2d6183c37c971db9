import { getLocale } from '../../paraglide/runtime';
import { m } from '../../paraglide/messages';

interface RatedDestination {
  country: string | null;
  number_type: string | null;
  description: string | null;
}

const types: Record<string, () => string> = { mobile: m.credit_mobile, 'fixed-line': m.credit_fixed_line };

/** Where a rate leads: "Brasil, celular". Without a country, the words of the deck, which are in the language of whoever wrote it. */
export function rateWords({ country, number_type, description }: RatedDestination): string {
  if (country === null) return description ?? '';
  const name = new Intl.DisplayNames(getLocale(), { type: 'region' }).of(country) ?? country;
  const type = types[number_type ?? '']?.();
  return type === undefined ? name : `${name}, ${type}`;
}

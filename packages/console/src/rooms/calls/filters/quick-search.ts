import type { Condition } from './call-filters';

/** Extensions have up to this many digits; what is longer is a part of a number. */
const EXTENSION_DIGITS = 5;

/** What somebody means who types this into the search field. */
export function searchCondition(text: string): Condition | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  if (typed.includes('@')) return { field: 'email', operator: 'has', value: typed };
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(typed)) return { field: 'id', operator: 'eq', value: typed };
  const digits = typed.replace(/[\s().+-]/g, '');
  if (!/^\d+$/.test(digits)) return { field: 'first_name', operator: 'has', value: typed };
  return digits.length <= EXTENSION_DIGITS
    ? { field: 'from', operator: 'eq', value: digits }
    : { field: 'to', operator: 'has', value: digits };
}

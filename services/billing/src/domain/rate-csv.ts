import { startOfDay, parseDay } from './calendar';
import { fromDecimal } from './money';
import type { Rate } from './rate-book';

export const rateColumns = [
  'prefix',
  'description',
  'minute_price',
  'minimum_seconds',
  'increment_seconds',
  'valid_from',
  'valid_to',
] as const;
type Column = (typeof rateColumns)[number];

export type RateRow = Partial<Record<Column, string>>;

/** A rate as a line of a file says it: without valid_from it holds from the moment it is imported. */
export type ImportedRate = Omit<Rate, 'validFrom'> & { validFrom?: Date };

/** The usual steps in Brazil, for lines that leave them out. */
const defaultMinimumSeconds = 30;
const defaultIncrementSeconds = 6;
const highestMinutePrice = fromDecimal('1000');

/** Unknown columns are refused, so that a misspelt one is not taken for an absent one. */
export function checkColumns(header: string[]): string[] {
  const names = header.map((name) => name.trim().toLowerCase());
  const missing = ['prefix', 'minute_price'].filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !(rateColumns as readonly string[]).includes(name));
  return [
    ...missing.map((name) => `column ${name} is missing`),
    ...unknown.map((name) => `column "${name}" is not known; known are ${rateColumns.join(', ')}`),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `column ${name} stands twice`),
  ];
}

export function parseRate(row: RateRow): { rate: ImportedRate } | { problems: string[] } {
  const problems: string[] = [];
  const read = <T>(column: Column, parse: (text: string) => T | undefined, reason: string): T | undefined => {
    const text = row[column]?.trim() ?? '';
    const value = text === '' ? undefined : parse(text);
    if (text !== '' && value === undefined) {
      problems.push(`${column} ${reason}`);
    }
    return value;
  };

  const prefix = read('prefix', parsePrefix, 'must be 1 to 15 digits, the first of them not 0');
  const minutePrice = read('minute_price', parsePrice, 'must be a decimal of at most 4 places, from 0 to 1000');
  const minimumSeconds = read('minimum_seconds', integerBetween(0, 3600), 'must be a whole number from 0 to 3600');
  const incrementSeconds = read('increment_seconds', integerBetween(1, 3600), 'must be a whole number from 1 to 3600');
  const validFrom = read('valid_from', parseMoment, 'must be a date or an ISO 8601 time with its zone');
  const validTo = read('valid_to', parseMoment, 'must be a date or an ISO 8601 time with its zone');
  if (validFrom !== undefined && validTo !== undefined && validTo <= validFrom) {
    problems.push('valid_to must be after valid_from');
  }
  for (const column of ['prefix', 'minute_price'] as const) {
    if ((row[column]?.trim() ?? '') === '') {
      problems.push(`${column} is empty`);
    }
  }
  if (problems.length > 0 || prefix === undefined || minutePrice === undefined) {
    return { problems };
  }
  return {
    rate: {
      prefix,
      description: (row.description ?? '').trim().slice(0, 200),
      minutePrice,
      minimumSeconds: minimumSeconds ?? defaultMinimumSeconds,
      incrementSeconds: incrementSeconds ?? defaultIncrementSeconds,
      validFrom,
      validTo,
    },
  };
}

function parsePrefix(text: string): string | undefined {
  return /^\+?([1-9]\d{0,14})$/.exec(text)?.[1];
}

/** A comma is taken for the decimal point, as spreadsheets in Brazil write it. */
function parsePrice(text: string): number | undefined {
  const decimal = text.replace(',', '.');
  if (!/^\d{1,4}(\.\d{1,4})?$/.test(decimal)) {
    return undefined;
  }
  const price = fromDecimal(decimal);
  return price <= highestMinutePrice ? price : undefined;
}

function integerBetween(lowest: number, highest: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
    return value >= lowest && value <= highest ? value : undefined;
  };
}

/** A date without a time means the beginning of that day in São Paulo. */
function parseMoment(text: string): Date | undefined {
  if (parseDay(text) !== undefined) {
    return startOfDay(text);
  }
  if (
    !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text) ||
    !parseDay(text.slice(0, 10))
  ) {
    return undefined;
  }
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

import { badRequest } from '@sabia/service-kit/errors';
import { MONEY_PLACES } from './decimal';
import type { FieldContract, Format } from '../../contract/field-contract';
import { isEmptyArray, isObject } from './input';
import { findUnstorable } from './json-text';
import { readBoolean, readCalendarDate, readExact, reject } from './scalar-readers';
import type { ReadResult, ScalarReader } from './scalar-readers';

const OBJECT_DEPTH = 500;
const FILTER_DEPTH = 50;
export const HIGHEST_PAGE = 2 ** 31 - 1;

const readMoney: ScalarReader = (value, text) => {
  const exact = readExact(value, text, MONEY_PLACES);
  if (exact === undefined) {
    return reject('type', 'must be a number');
  }
  if ('value' in exact) {
    return exact;
  }
  return exact.problem === 'range'
    ? reject('range', 'is out of range')
    : reject('format', `must not have more than ${MONEY_PLACES} decimals`);
};

/**
 * Keeps a JSON object as the text that the client wrote. A string may contain the object too, and a form gives one in brackets.
 * PHP writes an empty object as [].
 */
const readJsonObject: ScalarReader = (value, text) => {
  if (isEmptyArray(value) || (typeof value === 'string' && isEmptyArray(parseOrUndefined(value)))) {
    return { value: '{}' };
  }
  const written = typeof value === 'string' ? value : isObject(value) ? (text() ?? JSON.stringify(value)) : undefined;
  if (written === undefined || (typeof value === 'string' && !isObject(parseOrUndefined(value)))) {
    return reject('type', 'must be an object');
  }
  const reason = findUnstorable(written, OBJECT_DEPTH);
  return reason === undefined ? { value: written } : reject('format', reason);
};

const readPage: ScalarReader = (value) => {
  const written = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (!/^[0-9]{1,10}$/.test(written) || Number(written) < 1 || Number(written) > HIGHEST_PAGE) {
    throw badRequest('INVALID_PAGE', 'The "page" parameter must be a positive integer.');
  }
  return { value: Number(written) };
};

const readFilter: ScalarReader = (value, text) => {
  if (value === '') {
    return { value: undefined };
  }
  const written = typeof value === 'string' ? value : isObject(value) ? (text() ?? JSON.stringify(value)) : 'null';
  const parsed = parseOrUndefined(written);
  if (parsed === undefined) {
    throw badRequest('INVALID_FILTER', 'The "filter" parameter is not valid JSON.');
  }
  if (!isObject(parsed)) {
    throw badRequest('INVALID_FILTER', 'The "filter" parameter must be a JSON object.');
  }
  const reason = findUnstorable(written, FILTER_DEPTH);
  if (reason !== undefined) {
    throw badRequest('INVALID_FILTER', `The "filter" parameter ${reason}.`);
  }
  return { value: written };
};

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function dateReader(field: FieldContract): ScalarReader {
  return (value): ReadResult => {
    const date = readCalendarDate(value);
    if (date === undefined) {
      return reject('format', 'must be a calendar date, YYYY-MM-DD');
    }
    return { value: field.kind === 'timestamp' ? date : value };
  };
}

const readers: Record<Format, (field: FieldContract) => ScalarReader> = {
  MONEY: () => readMoney,
  JSON_OBJECT: () => readJsonObject,
  PAGE: () => readPage,
  FILTER: () => readFilter,
  BIT: () => readBoolean,
  DATE: dateReader,
};

export function formatReader(format: Format, field: FieldContract): ScalarReader {
  return readers[format](field);
}

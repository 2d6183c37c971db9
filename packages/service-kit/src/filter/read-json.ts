import { invalidFilter } from './invalid-filter';

export type JsonObject = Record<string, unknown>;

const maximumTextLength = 64 * 1024;
const maximumDepth = 32;
const maximumValues = 5_000;

/** PostgreSQL refuses NUL in any text, and lone surrogates in jsonb. */
const unstorable = /\0|\p{Surrogate}/u;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The filter as an object whose size, depth and texts are known to be harmless; undefined when there is none. */
export function readJson(text: string | undefined): JsonObject | undefined {
  if (text === undefined || text.trim() === '') {
    return undefined;
  }
  if (text.length > maximumTextLength) {
    throw invalidFilter(`it is longer than ${maximumTextLength} characters`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidFilter('it is not valid JSON');
  }
  if (value === null) {
    return undefined;
  }
  if (!isObject(value)) {
    throw invalidFilter('it must be a JSON object');
  }
  checkValues(value);
  return value;
}

function checkValues(root: JsonObject): void {
  let values = 0;
  const check = (value: unknown, depth: number): void => {
    values += 1;
    if (values > maximumValues) {
      throw invalidFilter(`it holds more than ${maximumValues} values`);
    }
    if (depth > maximumDepth) {
      throw invalidFilter(`it is nested deeper than ${maximumDepth} levels`);
    }
    if (typeof value === 'string') {
      checkText(value);
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      throw invalidFilter('it holds a number that is too large');
    } else if (Array.isArray(value)) {
      value.forEach((item) => check(item, depth + 1));
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        checkText(key);
        check(item, depth + 1);
      }
    }
  };
  check(root, 0);
}

function checkText(text: string): void {
  if (unstorable.test(text)) {
    throw invalidFilter('it holds a character that no text can hold (NUL or half of a surrogate pair)');
  }
}

/** The bracket form of a query string may bring a list as an object of numbered keys, and a list of one as the value itself. */
export function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  if (isObject(value)) {
    const keys = Object.keys(value);
    if (keys.length > 0 && keys.every((key, index) => key === String(index))) {
      return Object.values(value);
    }
  }
  return [value];
}

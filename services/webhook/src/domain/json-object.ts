export type JsonObject = Record<string, unknown>;

/** PHP encodes an empty object as this. */
export const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Undefined when the text is no object. A string may contain the object once more, as some clients send it. A number with more
 * digits than JavaScript keeps becomes a string of its digits, so that two long ids that differ in the last digit stay different.
 */
export function parseObject(text: string): JsonObject | undefined {
  const value = parse(text);
  const object = typeof value === 'string' ? parse(value) : value;
  return isObject(object) ? object : undefined;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && mayHoldLongNumber.test(text) ? JSON.parse(quoteLongNumbers(text)) : value;
  } catch {
    return undefined;
  }
}

const exactDigits = 15;
const mayHoldLongNumber = /[\d.]{16}|\d[eE]/;
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

function quoteLongNumbers(text: string): string {
  return text.replace(stringOrNumber, (found) => {
    if (found.startsWith('"')) {
      return found;
    }
    const [digits = ''] = found.split(/[eE]/);
    const fits = digits.replace(/\D/g, '').length <= exactDigits && Number.isFinite(Number(found));
    return fits ? found : `"${found}"`;
  });
}

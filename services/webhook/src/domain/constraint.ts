import { isEmptyArray, isObject } from './json-object';
import type { JsonObject } from './json-object';
import { writeReason } from './reason';

/** The shapes that clients send: flat pairs, pairs under "metadata", or both. No pair at all means every call. */
export function readConstraint(constraint: JsonObject | undefined): JsonObject {
  const { metadata, ...flat } = constraint ?? {};
  if (isObject(metadata)) {
    return { ...flat, ...metadata };
  }
  return metadata === undefined || metadata === null || isEmptyArray(metadata) ? flat : { ...flat, metadata };
}

export interface Mismatch {
  key: string;
  code: 'METADATA_MISSING' | 'METADATA_DIFFERS';
  /** The reason, as a sentence. */
  explain: () => string;
}

/** The first pair that does not match. */
export function findMismatch(pairs: JsonObject, metadata: JsonObject): Mismatch | undefined {
  for (const [key, wanted] of Object.entries(pairs)) {
    const found = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    if (!matches(wanted, found)) {
      const code = found === undefined ? 'METADATA_MISSING' : 'METADATA_DIFFERS';
      const explain = (): string =>
        writeReason(code, { key, wanted: show(wanted), ...(found !== undefined && { found: show(found) }) });
      return { key, code, explain };
    }
  }
  return undefined;
}

/** A number equals its string in any notation, and a boolean equals its string; an object matches one that has at least its pairs. */
function matches(wanted: unknown, found: unknown): boolean {
  if (wanted === null) {
    return found === null;
  }
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((item, index) => matches(item, (found as unknown[])[index]))
    );
  }
  if (isObject(wanted)) {
    return isObject(found) && findMismatch(wanted, found) === undefined;
  }
  return isScalar(wanted) && isScalar(found) && (String(found) === String(wanted) || equalNumbers(found, wanted));
}

const numberText = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Two strings are compared as they are: "1.0" and "1" may be versions. */
function equalNumbers(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'string') {
    return numberText.test(other) && Number(other) === one;
  }
  return typeof one === 'string' && typeof other === 'number' && equalNumbers(other, one);
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const longestShown = 200;

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

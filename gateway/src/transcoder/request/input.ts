import { parse } from 'qs';
import { memberTexts } from './json-text';

/** An object as a client sent it: the parsed values and, where it was JSON, the text of each of them. */
export interface InputObject {
  values: Record<string, unknown>;
  /** Undefined when the input was a query string or a form. */
  textOf(name: string): string | undefined;
}

/** Scans the text only when a field needs more precision than JSON.parse keeps. */
export function jsonObject(values: Record<string, unknown>, text: string): InputObject {
  let texts: Map<string, string> | undefined;
  return {
    values,
    textOf(name) {
      texts ??= memberTexts(text);
      return texts.get(name);
    },
  };
}

export function plainObject(values: Record<string, unknown>): InputObject {
  return { values, textOf: () => undefined };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Reads flat parameters and the bracket form. The objects have no prototype that a parameter name could reach. */
export function parseQuery(text: string): Record<string, unknown> {
  return text === '' ? {} : parse(text, options);
}

export function parseForm(text: string): Record<string, unknown> {
  return parse(text, options);
}

const options = {
  plainObjects: true,
  depth: 12,
  arrayLimit: 1000,
  parameterLimit: 2000,
  interpretNumericEntities: false,
} as const;

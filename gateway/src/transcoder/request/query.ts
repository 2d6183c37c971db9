import { parse } from 'qs';

/** Flat parameters and the bracket form alike. Objects have no prototype, so no name in a query can reach one. */
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

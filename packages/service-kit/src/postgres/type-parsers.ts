import { types } from 'pg';

type Parser = (text: string) => unknown;

const int8Array = 1016;

const overrides = new Map<number, Parser>([
  [types.builtins.INT8, parseInt8],
  [
    int8Array,
    (text) =>
      (parseArray(int8Array)(text) as (string | null)[]).map((item) => (item === null ? null : parseInt8(item))),
  ],
  // A calendar date has no time zone; a Date at local midnight would be another day elsewhere.
  [types.builtins.DATE, (text) => text],
]);

/** int8 as number, date as YYYY-MM-DD; numeric stays a string, because money must stay exact. */
export const typeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    const override = format === 'binary' ? undefined : overrides.get(oid);
    return override ?? (types.getTypeParser(oid, format) as Parser);
  },
};

function parseArray(oid: number): Parser {
  return types.getTypeParser(oid, 'text') as Parser;
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`int8 ${text} does not fit a JavaScript number`);
  }
  return value;
}

import { findUnstorableText } from './scalar-readers';

/** Scanners for text that JSON.parse has already accepted, so that they need not validate it. */

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** The original text of each member of an object, which keeps big numbers and the order of keys that JSON.parse loses. */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, 0) + 1;
  for (;;) {
    at = skipSpace(text, at);
    if (text.charCodeAt(at) === CLOSE_BRACE) {
      return members;
    }
    const keyEnd = skipString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    at = skipSpace(text, keyEnd);
    at = skipSpace(text, at + (text.charCodeAt(at) === COLON ? 1 : 0));
    const valueEnd = skipValue(text, at);
    members.set(key, text.slice(at, valueEnd));
    at = skipSpace(text, valueEnd);
    if (text.charCodeAt(at) === COMMA) {
      at += 1;
    }
  }
}

const NUMBER_LENGTH = 1000;
const NUMBER_EXPONENT = 400;

/** The reason why PostgreSQL or another JSON reader would reject the text, or undefined. */
export function findUnstorable(text: string, maximumDepth: number): string | undefined {
  const hasEscapes = text.includes('\\u');
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = skipString(text, at);
      const reason = hasEscapes ? findUnstorableEscape(text.slice(at, end)) : undefined;
      if (reason !== undefined) {
        return reason;
      }
      at = end;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > maximumDepth) {
        return `must not be nested deeper than ${maximumDepth} levels`;
      }
      at += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      at += 1;
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      const end = skipLiteral(text, at);
      if (!isReasonableNumber(text.slice(at, end))) {
        return 'must not contain a number of that size';
      }
      at = end;
    } else {
      at += 1;
    }
  }
  return undefined;
}

function findUnstorableEscape(quoted: string): string | undefined {
  return quoted.includes('\\u') ? findUnstorableText(JSON.parse(quoted) as string) : undefined;
}

function isReasonableNumber(text: string): boolean {
  const exponent = /[eE]([+-]?\d+)$/.exec(text)?.[1];
  return text.length <= NUMBER_LENGTH && (exponent === undefined || Math.abs(Number(exponent)) <= NUMBER_EXPONENT);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9;) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
}

function skipString(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

function skipLiteral(text: string, start: number): number {
  let at = start;
  while (at < text.length && !endsLiteral(text.charCodeAt(at))) {
    at += 1;
  }
  return at;
}

function endsLiteral(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= 32;
}

// Counts instead of recursing: a hostile nesting of a hundred thousand levels must not use up the stack.
function skipValue(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      at += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      at += 1;
    } else if (depth === 0) {
      return skipLiteral(text, at);
    } else {
      at += 1;
    }
  } while (depth > 0);
  return at;
}

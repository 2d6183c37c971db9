import type { Violations } from '@sabia/service-kit/validation/violations';
import { isEmptyArray, isObject } from './json-object';
import { staticSignatureHeader } from './signature';

const field = 'metadata.webhookHeaders';
const maximumCount = 20;
const maximumLength = 4096;
const namePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Visible ASCII, spaces and tabs, which every HTTP server accepts. */
const valuePattern = /^[\t\x20-\x7e]*$/;

/** Headers of the connection itself, and those whose values we sign or guarantee. */
const reserved = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  staticSignatureHeader,
]);

/** Headers sent with every webhook, names in lower case. */
export function checkHeaders(violations: Violations, value: unknown): Record<string, string> {
  if (value === undefined || value === null || isEmptyArray(value)) {
    return {};
  }
  if (!isObject(value)) {
    violations.add(field, 'type', 'must be an object');
    return {};
  }
  const entries = Object.entries(value);
  if (entries.length > maximumCount) {
    violations.add(field, 'length', `must not be more than ${maximumCount}`);
    return {};
  }
  const headers: Record<string, string> = {};
  for (const [name, content] of entries) {
    const lowerCase = name.toLowerCase();
    if (!namePattern.test(name)) {
      violations.add(field, 'format', `has a name that is none of a header: ${JSON.stringify(name.slice(0, 50))}`);
    } else if (reserved.has(lowerCase) || lowerCase.startsWith('webhook-')) {
      violations.add(field, 'exclusion', `must not contain ${lowerCase}`);
    } else if (typeof content !== 'string' && typeof content !== 'number' && typeof content !== 'boolean') {
      violations.add(field, 'type', `must have a text as ${lowerCase}`);
    } else if (String(content).length > maximumLength || !valuePattern.test(String(content))) {
      violations.add(
        field,
        'format',
        `must have printable ASCII of at most ${maximumLength} characters as ${lowerCase}`,
      );
    } else {
      headers[lowerCase] = String(content).trim();
    }
  }
  return headers;
}

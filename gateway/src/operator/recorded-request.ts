import { createHash } from 'node:crypto';
import type { Exchange } from '../http/exchange';

const LONGEST_TEXT = 1_000;
const LONGEST_REQUEST = 16_384;

/** What PostgreSQL can store and not search: NUL, and halves of surrogate pairs. */
const unsearchable = /\\u0000|\\ud[89a-f]/i;

/**
 * What the audit log keeps of a request, as the text of a JSON object: the body, or the query of a request without one. A long text, such as a
 * file, is reduced to its size and its SHA-256, so that it can be recognised.
 */
export async function recordedRequest(exchange: Exchange, hasBody: boolean): Promise<string> {
  const { access_token: _secret, ...values } = hasBody ? await bodyOf(exchange) : exchange.query();
  const text = JSON.stringify(values, (_key, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_TEXT ? reduced(value) : value,
  );
  return text.length > LONGEST_REQUEST || unsearchable.test(text) ? JSON.stringify(reduced(text)) : text;
}

/** A body that cannot be read is refused by the endpoint, in its own words. */
async function bodyOf(exchange: Exchange): Promise<Record<string, unknown>> {
  try {
    return (await exchange.body()).values;
  } catch {
    return {};
  }
}

const reduced = (text: string) => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});

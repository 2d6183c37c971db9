/** A reason for programs: its code, and what its sentence names. */
export interface Reason {
  code: string;
  detail: Record<string, string>;
}

/**
 * Every reason why an event is not sent or a request fails, as the sentence that is stored and shown. A sentence that contains another
 * one calls it {cause}. The order matters for reading: of two that fit a text, the first is meant.
 */
const sentences = {
  NO_WEBHOOK: 'The integration has no webhook.',
  WEBHOOK_REMOVED: 'The integration has no webhook any more.',
  WEBHOOK_DISABLED: 'The webhook is disabled: {cause}',
  /** While the delivery waited. */
  DISABLED_MEANWHILE: 'The webhook was disabled: {cause}',
  TYPE_NOT_CHOSEN: 'webhookTypes does not name {type}; it names {types}.',
  METADATA_MISSING: `The call's metadata has no "{key}"; the constraint asks for {wanted}.`,
  METADATA_DIFFERS: `The call's metadata has "{key}" {found}; the constraint asks for {wanted}.`,
  GIVEN_UP: 'Given up after {attempts} attempts: {cause}',
  RECEIVER_GONE: 'The receiver answered 410 Gone.',
  FAILED_FOR_DAYS: 'Five days of nothing but failures.',
  OWNER_DELETED: 'The user who owned the integration was deleted.',
  REDIRECTED: 'The receiver answered {status}; redirects are not followed.',
  RECEIVER_REFUSED: 'The receiver answered {status}.',
  NO_ANSWER: 'No answer within {seconds} seconds.',
  HOST_NOT_PUBLIC: 'Not sent: {host} does not resolve to public addresses only.',
  ADDRESS_NOT_PUBLIC: 'Not sent: {host} is not a public address.',
  /** {text} is that of the error, an identifier such as ECONNREFUSED. */
  REQUEST_FAILED: '{text} ({error})',
  REQUEST_BROKEN: 'The request failed.',
} as const;

export type ReasonCode = keyof typeof sentences;

export function writeReason(code: ReasonCode, detail: Record<string, string | number> = {}): string {
  // In one pass, so that a value which looks like a place is left as it is.
  return sentences[code].replace(/\{(\w+)\}/g, (place, name: string) => String(detail[name] ?? place));
}

const readers = Object.entries(sentences).map(([code, sentence]) => ({ code, pattern: patternOf(sentence) }));

/** Reads a stored sentence, also one of an earlier release, back into its code. Undefined: it is none of these sentences. */
export function readReason(text: string): Reason | undefined {
  for (const { code, pattern } of readers) {
    const groups = pattern.exec(text)?.groups;
    if (groups !== undefined || pattern.test(text)) {
      const { cause, text: _text, ...detail } = { ...groups };
      return cause === undefined ? { code, detail } : { code, detail: { ...causeOf(cause), ...detail } };
    }
  }
  return undefined;
}

/** The code of the cause stands beside its detail. */
function causeOf(text: string): Record<string, string> {
  const cause = readReason(text);
  return cause === undefined ? {} : { ...cause.detail, cause: cause.code };
}

function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/\{(\w+)\}/);
  const source = parts.map((part, index) =>
    index % 2 === 1 ? `(?<${part}>${part === 'error' ? '[A-Z0-9_]+' : '.+?'})` : part.replace(/[.()]/g, '\\$&'),
  );
  return new RegExp(`^${source.join('')}$`, 's');
}

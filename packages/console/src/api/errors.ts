import { SabiaError } from '@sabia/client';
import { m } from '../paraglide/messages';
import { fieldProblemInWords, refusalInWords } from './error-words';

/** A refusal of the API in the reader's language. */
export function inWords(error: Error): string {
  if (!(error instanceof SabiaError)) return error.message;
  return error.status === 0 ? m.errors_network() : refusalInWords(error);
}

/** The errors of a form's fields, for a mutation that may have failed. */
export function fieldErrors(error: Error | null): Readonly<Record<string, string>> {
  if (!(error instanceof SabiaError)) return {};
  const words = Object.entries(error.fields).flatMap(([field, [first]]) =>
    first === undefined ? [] : [[field, fieldProblemInWords(first)] as const],
  );
  return Object.fromEntries(words);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof SabiaError && error.status === 404;
}

/** For routes that change what exists where a form means to create. */
export function alreadyTaken(field: string): SabiaError {
  const message = `${field} already exists`;
  return new SabiaError({
    status: 422,
    code: 'VALIDATION_ERROR',
    message,
    fields: { [field]: [{ code: 'uniqueness', message }] },
  });
}

import type { CountryCode } from 'libphonenumber-js/max';
import { notFound } from '@sabia/service-kit/errors';
import { Violations } from '@sabia/service-kit/validation/violations';
import { normalizePhone } from './bina';

/** Why calls to a number go to its account. */
export type NumberTitle = 'ASSIGNED' | 'PROVEN' | 'INHERITED';

export interface OwnedNumber {
  /** E.164 digits. */
  number: string;
  accountId: number;
  title: NumberTitle;
  note: string;
  operatorName: string;
  since: Date;
}

export interface AssignmentInput {
  number: string;
  accountId?: number;
  /** Null: none that there is. */
  title?: NumberTitle | null;
  note?: string;
}

const longestNote = 500;

/** What the operator says; inheriting is not among it. */
export function checkAssignment(
  input: AssignmentInput,
  country: CountryCode,
): Pick<OwnedNumber, 'number' | 'accountId' | 'title' | 'note'> {
  const violations = new Violations();
  const number = normalizePhone(input.number, country);
  if (number === undefined) {
    violations.add('number', 'format', 'is not a valid phone number');
  }
  const { accountId = 0, title = 'ASSIGNED', note = '' } = input;
  if (accountId <= 0) {
    violations.add('accountId', 'presence', "can't be blank");
  }
  if (title === null || title === 'INHERITED') {
    violations.add('title', 'inclusion', 'must be ASSIGNED or PROVEN');
  }
  if (note.length > longestNote || note.includes('\0')) {
    violations.add('note', 'length', `must be at most ${longestNote} characters long`);
  }
  violations.throwIfAny('number');
  return { number: number!, accountId, title: title!, note };
}

export function readNumber(text: string, country: CountryCode): string {
  const number = normalizePhone(text, country);
  if (number === undefined) {
    throw notFound('number', text);
  }
  return number;
}

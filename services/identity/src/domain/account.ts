import type { CountryCode } from 'libphonenumber-js/max';
import type { Language } from '@sabia/service-kit/brand/language';
import { checkEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { checkAreaCode } from './area-code';
import { checkLanguage } from './language';
import { checkPhone } from './phone';
import { checkTimeZone } from './time-zone';
import { checkLine } from '@sabia/service-kit/validation/text-field';
import { Violations } from '@sabia/service-kit/validation/violations';

export interface Account {
  id: number;
  uuid: string;
  domain: string;
  name: string;
  email: string;
  phone: string;
  timeZone: string;
  /** null if not set: then that of the phone is used. */
  areaCode: string | null;
  recordingFormat: RecordingFormat;
  /** Of mails to the account's users. */
  language: Language;
  createdAt: Date;
  updatedAt: Date;
}

export const recordingFormats = ['wav', 'mp3'] as const;

export type RecordingFormat = (typeof recordingFormats)[number];

export const maximumNameLength = 200;

export interface AccountChange {
  name?: string;
  email?: string;
  phone?: string;
  /** null removes it. */
  areaCode?: string | null;
  recordingFormat?: RecordingFormat;
  language?: Language;
  timeZone?: string;
}

export interface AccountInput {
  name?: string;
  email?: string;
  phone?: string;
  areaCode?: string;
  recordingFormat?: string;
  language?: string;
  timeZone?: string;
}

/** Only the fields that are present change. */
export function checkAccountChange(input: AccountInput, country: CountryCode): AccountChange {
  const violations = new Violations();
  const change: AccountChange = {
    name: input.name === undefined ? undefined : checkLine(violations, 'name', input.name, maximumNameLength),
    email: input.email === undefined ? undefined : normalizeEmail(checkEmail(violations, 'email', input.email)),
    phone: input.phone === undefined ? undefined : checkPhone(violations, 'phone', input.phone, country),
    areaCode: input.areaCode === undefined ? undefined : checkAreaCode(violations, input.areaCode),
    recordingFormat: checkRecordingFormat(violations, input.recordingFormat),
    language: checkLanguage(violations, input.language),
    timeZone: input.timeZone === undefined ? undefined : checkTimeZone(violations, input.timeZone),
  };
  violations.throwIfAny('account');
  return change;
}

function checkRecordingFormat(violations: Violations, value: string | undefined): RecordingFormat | undefined {
  const format = recordingFormats.find((known) => known === value?.toLowerCase());
  if (value !== undefined && format === undefined) {
    violations.add('recordingFormat', 'inclusion', `must be one of ${recordingFormats.join(', ')}`);
  }
  return format;
}

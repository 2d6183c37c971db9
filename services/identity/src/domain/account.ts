import type { CountryCode } from 'libphonenumber-js/max';
import { checkEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { checkPhone } from './phone';
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
  createdAt: Date;
  updatedAt: Date;
}

export const maximumNameLength = 200;

export interface AccountChange {
  name?: string;
  email?: string;
  phone?: string;
}

/** Only the fields that are present change. */
export function checkAccountChange(input: AccountChange, country: CountryCode): AccountChange {
  const violations = new Violations();
  const change: AccountChange = {
    name: input.name === undefined ? undefined : checkLine(violations, 'name', input.name, maximumNameLength),
    email: input.email === undefined ? undefined : normalizeEmail(checkEmail(violations, 'email', input.email)),
    phone: input.phone === undefined ? undefined : checkPhone(violations, 'phone', input.phone, country),
  };
  violations.throwIfAny('account');
  return change;
}

import type { Violation } from '@sabia/service-kit/errors';
import { isValidPhoneNumber } from 'libphonenumber-js';
import { z } from 'zod';
import { parseTaxId } from './tax-id';
import type { PersonType } from './tax-id';

export type FinancialAccountStatus = 'PENDING' | 'ACTIVE';

export const addressFields = [
  'address',
  'addressNumber',
  'addressComplement',
  'addressProvince',
  'addressDistrict',
  'addressCity',
  'addressState',
  'addressCountry',
  'addressZipCode',
] as const;

/** Fields that the account may change at any time. */
export const contactFields = ['phone', 'mobilePhone', 'additionalEmails'] as const;

/** Fields that are fixed, like the tax id, once the payment provider has accepted the account. */
export const identityFields = ['company', 'name', 'email', ...addressFields] as const;

/** Derived, never set by a client. */
export const derivedFields = ['personType', 'status'] as const;

export type ContactField = (typeof contactFields)[number];
export type IdentityField = (typeof identityFields)[number];
export type TextField = ContactField | IdentityField;

export interface FinancialAccount extends Partial<Record<TextField, string>> {
  accountId: number;
  status: FinancialAccountStatus;
  cpfCnpj: string;
  personType: PersonType;
  /** The payment provider's own name for this customer. */
  customerId?: string;
  updatedAt: Date;
}

export type FinancialChange = Partial<Record<TextField | 'cpfCnpj' | (typeof derivedFields)[number], string>>;

const longestText = 200;
const mostEmails = 20;
const emailSchema = z.email().max(254);

export const isEmail = (text: string): boolean => emailSchema.safeParse(text).success;

/** The fields that an active account refuses to see at all; their names, in the order of the interface. */
export function lockedFields(change: FinancialChange): string[] {
  return (['cpfCnpj', ...identityFields, ...derivedFields] as const).filter((field) => change[field] !== undefined);
}

/** null empties a field. */
export type CheckedChange = Partial<Record<TextField, string | null>> & { cpfCnpj?: string; personType?: PersonType };

/** Validates what is present; "" empties a field. Derived fields are passed over: a client may send back what it was given. */
export function checkChange(change: FinancialChange): { change: CheckedChange } | { violations: Violation[] } {
  const violations: Violation[] = [];
  const checked: CheckedChange = {};
  const refuse = (field: string, code: string, message: string): void => {
    violations.push({ field, code, message });
  };

  if (change.cpfCnpj !== undefined) {
    const taxId = parseTaxId(change.cpfCnpj);
    if (taxId === undefined) {
      refuse('cpfCnpj', 'format', 'must be a valid CPF or CNPJ');
    } else {
      Object.assign(checked, { cpfCnpj: taxId.value, personType: taxId.personType });
    }
  }
  for (const field of [...contactFields, ...identityFields]) {
    const text = change[field]?.trim();
    if (text === undefined) {
      continue;
    }
    const problem = text === '' ? undefined : problemOf(field, text);
    if (problem !== undefined) {
      refuse(field, ...problem);
    }
    checked[field] = text === '' ? null : field === 'additionalEmails' ? emailsOf(text).join(',') : text;
  }
  return violations.length > 0 ? { violations } : { change: checked };
}

function problemOf(field: TextField, text: string): [code: string, message: string] | undefined {
  if (field === 'additionalEmails') {
    const emails = emailsOf(text);
    return emails.length > mostEmails
      ? ['length', `must not name more than ${mostEmails} e-mails`]
      : emails.every(isEmail)
        ? undefined
        : ['format', 'must be e-mails separated by commas'];
  }
  if (text.length > longestText) {
    return ['length', `must not be longer than ${longestText} characters`];
  }
  if (text.includes('\0')) {
    return ['format', 'must not contain a null character'];
  }
  if ((field === 'phone' || field === 'mobilePhone') && !isValidPhoneNumber(text, 'BR')) {
    return ['format', 'must be a valid phone number'];
  }
  return field === 'email' && !isEmail(text) ? ['format', 'must be a valid e-mail'] : undefined;
}

const emailsOf = (text: string): string[] =>
  text
    .split(',')
    .map((email) => email.trim())
    .filter((email) => email !== '');

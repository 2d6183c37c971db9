import type { CountryCode } from 'libphonenumber-js/max';
import { defaultLanguage } from '@sabia/service-kit/brand/language';
import type { Language } from '@sabia/service-kit/brand/language';
import { maximumNameLength } from './account';
import { checkAccountDomain } from './account-domain';
import { checkEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { checkLanguage } from './language';
import { checkPassword } from './password-policy';
import { checkPhone } from './phone';
import { checkLine } from '@sabia/service-kit/validation/text-field';
import { Violations } from '@sabia/service-kit/validation/violations';

export const userQuantities = ['1-5', '6-10', '11-20', '21-50', '50+'] as const;

export const defaultCrmNames = [
  'ActiveCampaign',
  'Agendor',
  'AppFacilita',
  'ExactSalesSpotter',
  'Groner',
  'HubSpot',
  'Kommo',
  'MoskitCRM',
  'NectarCRM',
  'Pipedrive',
  'Piperun',
  'Ploomes',
  'RDCRM',
  'Salesflow',
  'Salesforce',
  'SharpSpring',
  'Zendesk',
  'ZohoCRM',
  'Outros',
] as const;

/**
 * How long a sign-up may wait for its confirmation before its domain is free again: its mail is retried for five days, and the link is
 * valid for two.
 */
export const signUpKeptMs = 7 * 24 * 60 * 60 * 1000;

export interface SignUpRules {
  domainSuffix: string;
  crmNames: readonly string[];
  phoneCountry: CountryCode;
}

export interface SignUpInput {
  organization_name?: string;
  domain?: string;
  email?: string;
  password?: string;
  phone?: string;
  crm?: string;
  user_quantity?: string;
  language?: string;
}

export interface SignUp {
  organizationName: string;
  domain: string;
  email: string;
  password: string;
  phone: string;
  crm: string;
  userQuantity: string;
  language: Language;
}

export function checkSignUp(input: SignUpInput, rules: SignUpRules): SignUp {
  const violations = new Violations();
  const signUp: SignUp = {
    organizationName: checkLine(violations, 'organization_name', input.organization_name, maximumNameLength),
    domain: checkAccountDomain(violations, 'domain', input.domain, rules.domainSuffix),
    email: normalizeEmail(checkEmail(violations, 'email', input.email)),
    password: checkPassword(violations, 'password', input.password),
    phone: checkPhone(violations, 'phone', input.phone, rules.phoneCountry),
    crm: checkChoice(violations, 'crm', input.crm, rules.crmNames),
    userQuantity: checkChoice(violations, 'user_quantity', input.user_quantity, userQuantities),
    language: checkLanguage(violations, input.language) ?? defaultLanguage,
  };
  violations.throwIfAny('account');
  return signUp;
}

function checkChoice(
  violations: Violations,
  field: string,
  value: string | undefined,
  choices: readonly string[],
): string {
  const given = checkLine(violations, field, value, 100);
  if (given === '') {
    return '';
  }
  const choice = choices.find((candidate) => candidate.toLowerCase() === given.toLowerCase());
  if (choice === undefined) {
    violations.add(field, 'inclusion', `must be one of ${choices.join(', ')}`);
  }
  return choice ?? '';
}

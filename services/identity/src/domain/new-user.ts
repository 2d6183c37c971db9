import type { CountryCode } from 'libphonenumber-js/max';
import { maximumNameLength } from './account';
import { checkEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { checkPassword } from './password-policy';
import { checkPhone } from './phone';
import { checkLine } from '@sabia/service-kit/validation/text-field';
import type { Role } from './user';
import { Violations } from '@sabia/service-kit/validation/violations';

export interface NewUserInput {
  name?: string;
  email?: string;
  password?: string;
  phone?: string;
  /** null if the value sent is not a role. */
  role?: Role | null;
  emailVerified?: boolean;
}

export interface NewUser {
  name: string;
  email: string;
  password: string;
  phone: string | null;
  role: Role;
  emailVerified: boolean;
}

export function checkNewUser(input: NewUserInput, country: CountryCode): NewUser {
  const violations = new Violations();
  if (input.role === null) {
    violations.add('role', ...unknownRole);
  }
  const user: NewUser = {
    name: checkLine(violations, 'name', input.name, maximumNameLength),
    email: normalizeEmail(checkEmail(violations, 'email', input.email)),
    password: checkPassword(violations, 'password', input.password),
    phone:
      input.phone === undefined || input.phone.trim() === ''
        ? null
        : checkPhone(violations, 'phone', input.phone, country),
    role: input.role ?? 'USER',
    emailVerified: input.emailVerified ?? false,
  };
  violations.throwIfAny('user');
  return user;
}

export const unknownRole = ['inclusion', 'must be one of ADMIN, USER'] as const;

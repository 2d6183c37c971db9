import { isLanguage } from '@sabia/service-kit/brand/language';
import type { Language } from '@sabia/service-kit/brand/language';
import { denied } from '@sabia/service-kit/errors';
import type { CountryCode } from 'libphonenumber-js/max';
import { maximumNameLength } from './account';
import { checkEmail, normalizeEmail } from '@sabia/service-kit/validation/email';
import { checkLanguage } from './language';
import { unknownRole } from './new-user';
import { checkPassword } from './password-policy';
import { checkPhone } from './phone';
import { checkLine } from '@sabia/service-kit/validation/text-field';
import type { Actor, Role, User } from './user';
import { Violations, blank } from '@sabia/service-kit/validation/violations';

export interface UserChangeInput {
  name?: string;
  email?: string;
  phone?: string;
  /** null if the value sent is not a role. */
  role?: Role | null;
  emailVerified?: boolean;
  password?: string;
  currentPassword?: string;
  language?: string;
}

/** The new state of the user. */
export interface UserChange {
  name: string;
  email: string;
  pendingEmail: string | null;
  phone: string | null;
  role: Role;
  emailVerified: boolean;
  language: Language | null;
}

/** Validates the input; its effect depends on the current user and on the caller, see `planUserChange`. */
export function checkUserChange(input: UserChangeInput, own: boolean, country: CountryCode): UserChangeInput {
  const violations = new Violations();
  if (input.role === null) {
    violations.add('role', ...unknownRole);
  }
  const checked: UserChangeInput = {
    ...input,
    name: input.name === undefined ? undefined : checkLine(violations, 'name', input.name, maximumNameLength),
    email: input.email === undefined ? undefined : normalizeEmail(checkEmail(violations, 'email', input.email)),
    phone:
      input.phone === undefined || input.phone.trim() === ''
        ? undefined
        : checkPhone(violations, 'phone', input.phone, country),
    language: input.language === '' ? '' : checkLanguage(violations, input.language),
  };
  if (input.password !== undefined) {
    checkPassword(violations, 'password', input.password);
    // A stranger at an open session must not be able to lock its owner out.
    if (own && !input.currentPassword) {
      violations.add('currentPassword', ...blank);
    }
  }
  violations.throwIfAny('user');
  return checked;
}

/** A client may send the whole user back: only a different value counts as a change. */
export function planUserChange(current: User, input: UserChangeInput, actor: Actor): UserChange {
  const isAdmin = actor.role === 'ADMIN';
  if (current.id !== actor.userId && !isAdmin) {
    throw denied();
  }
  const role = input.role ?? current.role;
  if (role !== current.role && !isAdmin) {
    throw denied();
  }
  return {
    name: input.name ?? current.name,
    phone: input.phone ?? current.phone,
    role,
    language: planLanguage(current, input),
    ...planEmail(current, input, isAdmin),
  };
}

/** An empty text removes the choice. */
function planLanguage(current: User, { language }: UserChangeInput): Language | null {
  if (language === undefined) {
    return current.language;
  }
  return isLanguage(language) ? language : null;
}

/** A confirmed address stays valid until the new one is confirmed, or set as verified by an ADMIN. */
function planEmail(
  current: User,
  { email, emailVerified: asked }: UserChangeInput,
  isAdmin: boolean,
): Pick<UserChange, 'email' | 'pendingEmail' | 'emailVerified'> {
  const moves = email !== undefined && email !== current.email;
  // With a new address, false does not refer to the current one.
  const changesFlag = asked !== undefined && asked !== current.emailVerified && !(moves && !asked);
  if (changesFlag && !isAdmin) {
    throw denied();
  }
  if (!moves) {
    const { pendingEmail, emailVerified } = current;
    return { email: current.email, pendingEmail, emailVerified: asked ?? emailVerified };
  }
  const vouched = isAdmin && asked === true;
  return vouched || !current.emailVerified
    ? { email, pendingEmail: null, emailVerified: vouched }
    : { email: current.email, pendingEmail: email, emailVerified: true };
}

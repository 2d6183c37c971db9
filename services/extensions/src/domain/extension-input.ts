import type { CountryCode } from 'libphonenumber-js/max';
import { checkBina } from './bina';
import { checkEmail } from '@sabia/service-kit/validation/email';
import type { ExtensionFields } from './extension';
import { checkRamal } from './ramal';
import { checkSenha, isSenhaOf, newSenha } from './senha';
import type { SenhaHolder } from './senha';
import { checkLine } from '@sabia/service-kit/validation/text-field';
import type { Violations } from '@sabia/service-kit/validation/violations';

export const maximumNameLength = 100;

/** The input of a client; undefined for a field that is missing or null. */
export interface ExtensionInput {
  ramal?: string;
  senha?: string;
  bina?: string;
  firstName?: string;
  lastName?: string;
  emailAddress?: string;
  gravarAudio?: boolean;
}

export type NewExtension = ExtensionFields & { senha: string };

/** The changes to an existing extension; undefined fields stay unchanged. */
export type ExtensionChange = Partial<NewExtension>;

/** Defaults of a new extension: a generated senha, and the name and e-mail of the user who creates it. */
export interface ExtensionDefaults {
  firstName: string;
  lastName: string;
  emailAddress: string;
}

export function checkNewExtension(
  violations: Violations,
  input: ExtensionInput,
  defaults: ExtensionDefaults,
  country: CountryCode,
): NewExtension {
  return { ramal: checkRamal(violations, input.ramal), ...checkNextExtension(violations, input, defaults, country) };
}

/** Like checkNewExtension, for an extension whose number is assigned later. */
export function checkNextExtension(
  violations: Violations,
  input: ExtensionInput,
  defaults: ExtensionDefaults,
  country: CountryCode,
): Omit<NewExtension, 'ramal'> {
  const { senha, firstName, lastName, emailAddress } = input;
  return {
    senha: senha === undefined ? newSenha() : checkSenha(violations, senha),
    ...checkBina(violations, input.bina ?? '', country),
    firstName:
      firstName === undefined ? defaults.firstName : checkLine(violations, 'first_name', firstName, maximumNameLength),
    lastName:
      lastName === undefined ? defaults.lastName : checkLine(violations, 'last_name', lastName, maximumNameLength),
    // The default is empty when the user's address is not confirmed.
    emailAddress: checkEmail(violations, 'email_address', emailAddress ?? defaults.emailAddress),
    gravarAudio: input.gravarAudio ?? false,
  };
}

/** A senha that is sent back unchanged is not checked as a new one: it may be shorter. */
export function checkExtensionChange(
  violations: Violations,
  input: ExtensionInput,
  country: CountryCode,
  current: SenhaHolder,
): ExtensionChange {
  const { ramal, senha, bina, firstName, lastName, emailAddress, gravarAudio } = input;
  return {
    ramal: ramal === undefined ? undefined : checkRamal(violations, ramal),
    senha: senha === undefined || isSenhaOf(current, senha) ? senha : checkSenha(violations, senha),
    ...(bina === undefined ? undefined : checkBina(violations, bina, country)),
    firstName: firstName === undefined ? undefined : checkLine(violations, 'first_name', firstName, maximumNameLength),
    lastName: lastName === undefined ? undefined : checkLine(violations, 'last_name', lastName, maximumNameLength),
    emailAddress: emailAddress === undefined ? undefined : checkEmail(violations, 'email_address', emailAddress),
    gravarAudio,
  };
}

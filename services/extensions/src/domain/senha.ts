import { createHash, randomBytes } from 'node:crypto';
import { blank } from '@sabia/service-kit/validation/violations';
import type { Violations } from '@sabia/service-kit/validation/violations';

/** The minimum length of a new senha; existing ones may be shorter. */
const minimumLength = 12;
const maximumLength = 128;
/** Letters, marks, digits, punctuation, symbols and spaces: characters that can be seen and typed. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u;

/** Checks a new senha, which is stored unchanged, spaces included. Returns '' after adding a violation. */
export function checkSenha(violations: Violations, value: string | undefined): string {
  const senha = value ?? '';
  if (senha === '') {
    violations.add('senha', ...blank);
    return '';
  }
  const length = [...senha].length;
  if (length < minimumLength || length > maximumLength) {
    violations.add('senha', 'length', `must be ${minimumLength} to ${maximumLength} characters long`);
    return '';
  }
  if (!printable.test(senha)) {
    violations.add('senha', 'format', 'must contain printable characters only');
    return '';
  }
  return senha;
}

/** Generates a senha for an extension created without one: 144 random bits, typable on any softphone's keyboard. */
export const newSenha = (): string => randomBytes(18).toString('base64url');

/** HA1 of SIP digest authentication, with which Asterisk checks a senha that it does not know. */
export function digestOf(sipUser: { ramal: string; domain: string }, senha: string): string {
  return createHash('md5').update(`${sipUser.ramal}:${sipUser.domain}:${senha}`, 'utf8').digest('hex');
}

export interface SenhaHolder {
  ramal: string;
  domain: string;
  ha1: string;
}

/** Compares digests, so that it works even if the encryption key is lost. */
export function isSenhaOf(holder: SenhaHolder, senha: string): boolean {
  return digestOf(holder, senha) === holder.ha1;
}

import { createHash, randomBytes } from 'node:crypto';
import { blank } from '@sabia/service-kit/validation/violations';
import type { Violations } from '@sabia/service-kit/validation/violations';

/** Of one that is chosen anew; older ones may be shorter. */
const minimumLength = 12;
const maximumLength = 128;
/** Letters, marks, digits, punctuation, symbols and spaces; nothing that a person could not see or type. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u;

/** A senha that is chosen anew. Kept to the letter, spaces included. Answers '' after noting a violation. */
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

/** For an extension whose creator chose none: 144 random bits that any softphone's keyboard can type. */
export const newSenha = (): string => randomBytes(18).toString('base64url');

/** HA1 of SIP digest authentication: all that Asterisk needs to check a senha it never sees. */
export function digestOf(sipUser: { ramal: string; domain: string }, senha: string): string {
  return createHash('md5').update(`${sipUser.ramal}:${sipUser.domain}:${senha}`, 'utf8').digest('hex');
}

export interface SenhaHolder {
  ramal: string;
  domain: string;
  ha1: string;
}

/** By its digest, so that it can be told even when the key of the sealed one is lost. */
export function isSenhaOf(holder: SenhaHolder, senha: string): boolean {
  return digestOf(holder, senha) === holder.ha1;
}

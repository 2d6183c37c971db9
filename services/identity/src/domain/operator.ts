import { randomBytes } from 'node:crypto';
import { checkLine } from '@sabia/service-kit/validation/text-field';
import { Violations } from '@sabia/service-kit/validation/violations';
import { hashToken } from './access-token';

/** Somebody who may use the operator's API. */
export interface Operator {
  uuid: string;
  name: string;
  tokenPrefix: string;
  createdAt: Date;
  revokedAt: Date | null;
  /** The token is in the configuration of the deployment. */
  configured: boolean;
}

/** A token as it is stored. */
export interface OperatorToken {
  hash: Buffer;
  prefix: string;
}

const longestName = 100;
/** Tells these tokens from those of accounts, for people and for scanners that look for leaked secrets. */
const tokenStart = 'sabia-operator-';
const shownCharacters = 8;

/** The name of the operator whose token is in the configuration. */
export const configuredOperatorName = 'configured';

export function storedTokenOf(token: string): OperatorToken {
  const random = token.startsWith(tokenStart) ? token.slice(tokenStart.length) : token;
  return { hash: hashToken(token), prefix: random.slice(0, shownCharacters) };
}

/** The token itself is returned to the client and never stored. */
export const mintOperatorToken = (): string => tokenStart + randomBytes(48).toString('base64url');

export function checkOperatorName(name: string | undefined): string {
  const violations = new Violations();
  const checked = checkLine(violations, 'name', name, longestName);
  violations.throwIfAny('operator');
  return checked;
}

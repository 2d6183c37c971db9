import { randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** How a proof was decided by what was keyed in. */
export type ProofOutcome = 'PROVEN' | 'WRONG_CODE' | 'NUMBER_TAKEN' | 'EXPIRED';

export interface NumberProof {
  /** Also the id of its call. */
  id: string;
  accountId: number;
  /** E.164 digits. */
  number: string;
  tries: number;
  outcome: ProofOutcome | null;
  createdAt: Date;
  expiresAt: Date;
}

export const codeLifetimeMs = 10 * 60_000;
export const mostTries = 3;

/** Strangers are not to be rung up again and again, nor dear numbers to be called for nothing. */
export const proofLimits = { hours: 24, perNumber: 3, perAccount: 10 };

const DIGITS = 6;
const HASH_BYTES = 32;

const derive = promisify<string, string, number, Buffer>(scrypt);

export const newCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');

/** Slow on purpose: all codes that there are can be tried against a stolen hash, but not while the code is good. */
export const hashOfCode = (id: string, code: string): Promise<Buffer> => derive(code, id, HASH_BYTES);

export const isCode = async (id: string, code: string, hash: Buffer): Promise<boolean> =>
  timingSafeEqual(await hashOfCode(id, code), hash);

export const triesLeft = ({ tries, outcome }: Pick<NumberProof, 'tries' | 'outcome'>): number =>
  outcome === null ? mostTries - tries : 0;

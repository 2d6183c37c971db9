import { randomBytes } from 'node:crypto';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { createConcurrencyLimit } from './concurrency-limit';

export interface HashParameters {
  memoryKiB: number;
  passes: number;
  lanes: number;
}

/** OWASP, Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
export const owaspParameters: HashParameters = { memoryKiB: 19_456, passes: 2, lanes: 1 };

const argon2id = 2;
const maxWaiting = 500;

export interface PasswordHasher {
  /** Computes the substitute hash for unknown users, so that the first login is not slower than later ones. */
  prepare(): Promise<void>;
  /** `lastLook` runs when the task leaves the queue; it throws if the hash is no longer needed. */
  hash(password: string, signal?: AbortSignal, lastLook?: () => Promise<void>): Promise<string>;
  /** Without a hash it does the same work and returns false. */
  verify(hashed: string | undefined, password: string, signal?: AbortSignal): Promise<boolean>;
  needsRehash(hashed: string): boolean;
}

/** The native module computes off the event loop; the limit bounds its memory and CPU. */
export function createPasswordHasher(options: { concurrency: number; parameters?: HashParameters }): PasswordHasher {
  const parameters = options.parameters ?? owaspParameters;
  const limit = createConcurrencyLimit(options.concurrency, maxWaiting);
  const argon2 = {
    algorithm: argon2id,
    memoryCost: parameters.memoryKiB,
    timeCost: parameters.passes,
    parallelism: parameters.lanes,
  };
  let standIn: Promise<string> | undefined;

  const substituteHash = (): Promise<string> => {
    standIn ??= hash(randomBytes(32), argon2);
    return standIn;
  };

  return {
    async prepare() {
      await substituteHash();
    },
    hash: (password, signal, lastLook) =>
      limit.run(async () => {
        await lastLook?.();
        return hash(password, argon2);
      }, signal),
    verify: (hashed, password, signal) =>
      limit.run(async () => {
        const matches = await verify(hashed ?? (await substituteHash()), password);
        return hashed !== undefined && matches;
      }, signal),
    needsRehash(hashed) {
      const used = parseOptions(hashed);
      return (
        Number(used.algorithm) !== argon2id ||
        used.memoryCost < parameters.memoryKiB ||
        used.timeCost < parameters.passes ||
        used.parallelism < parameters.lanes
      );
    },
  };
}

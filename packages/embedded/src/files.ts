import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file so that a reader sees either the old content or the new one, never a part. */
export function writeFileAtomically(path: string, content: string | Uint8Array, mode = 0o644): void {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  writeFileSync(temporary, content, { mode, flag: 'wx' });
  renameSync(temporary, path);
}

/** Creates a folder that other users of the machine cannot enter; an existing folder loses their rights. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o750);
}

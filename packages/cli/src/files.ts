import { renameSync, writeFileSync } from 'node:fs';

/** The file is either the former or the new one, whenever the process is killed. Only its owner can read it. */
export function writeFileAtomically(file: string, text: string): void {
  const written = `${file}.${process.pid}.new`;
  writeFileSync(written, text, { mode: 0o600 });
  renameSync(written, file);
}

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../files';

export interface Position {
  /** Where the stream of events goes on; undefined before the first connection. */
  cursor?: string;
  /** The newest events that were forwarded, in case the platform tells one twice. */
  forwarded: string[];
  /** Signs what is forwarded. */
  secret: string;
}

export interface PositionFile {
  readonly path: string;
  read(): Position | undefined;
  write(position: Position): void;
}

/** One file for each profile and account: another account's events have other positions. */
export function openPositionFile(folder: string, profile: string, domain: string): PositionFile {
  const positions = join(folder, 'listen');
  const path = join(positions, `${profile}@${domain}.json`.replace(/[^\w.@-]/g, '_'));
  return {
    path,
    read() {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as Position;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    write(position) {
      mkdirSync(positions, { recursive: true, mode: 0o700 });
      writeFileAtomically(path, `${JSON.stringify(position)}\n`);
    },
  };
}

import { chmodSync, chownSync, cpSync, lstatSync, mkdtempSync, readdirSync, renameSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../config';
import type { PostgresBinaries } from './postgres-binaries';
import { run } from './run';

const NOBODY = 65534;

/** A way to run PostgreSQL, which refuses to run as root or as a user without a name. */
export interface Disguise {
  binaries: PostgresBinaries;
  wrap(command: string, args: readonly string[]): { command: string; args: string[]; uid?: number; gid?: number };
  /** Prepares the folder in which PostgreSQL writes. */
  own(directory: string): void;
}

const asMyself = (binaries: PostgresBinaries): Disguise => ({
  binaries,
  wrap: (command, args) => ({ command, args: [...args] }),
  own: () => undefined,
});

/** A new user namespace without a mapping: the process sees itself as user nobody, and the kernel still sees the owner of our files. */
const inUserNamespace = (binaries: PostgresBinaries): Disguise => ({
  binaries,
  wrap: (command, args) => ({ command: 'unshare', args: ['--user', '--', command, ...args] }),
  own: () => undefined,
});

/** User nobody with the single capability to enter folders, so that a clone below a folder that only root can enter works. */
const asNobodyWithAccess = (binaries: PostgresBinaries): Disguise => ({
  binaries,
  wrap: (command, args) => ({
    command: 'setpriv',
    args: [
      ...[`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs'],
      ...[
        '--bounding-set=-all,+dac_override',
        '--inh-caps=-all,+dac_override',
        '--ambient-caps=-all,+dac_override',
        '--',
      ],
      ...[command, ...args],
    ],
  }),
  own: (directory) => chownSync(directory, NOBODY, NOBODY),
});

/** The last resort: plain user nobody, with a copy of the binaries that all users can read. User nobody must be able to reach the data, too. */
const asNobody = (binaries: PostgresBinaries): Disguise => {
  const root = readableCopy(binaries.root);
  return {
    binaries: { root, initdb: join(root, 'bin/initdb'), postgres: join(root, 'bin/postgres') },
    wrap: (command, args) => ({ command, args: [...args], uid: NOBODY, gid: NOBODY }),
    own: (directory) => chownSync(directory, NOBODY, NOBODY),
  };
};

function readableCopy(source: string): string {
  const place = join(tmpdir(), `sabia-postgres-${process.getuid?.() ?? 0}`);
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found) {
    // All users may write to the parent folder: another user could have put programs there.
    if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0) return place;
    throw new Error(`${place} is not ours`);
  }
  const staging = mkdtempSync(`${place}.`);
  for (const part of readdirSync(source))
    cpSync(join(source, part), join(staging, part), { recursive: true, verbatimSymlinks: true });
  chmodSync(staging, 0o755);
  renameSync(staging, place);
  return place;
}

/** The first way in which the binary runs and the folder of the data can be read. */
export async function chooseDisguise(binaries: PostgresBinaries, dataFolder: string): Promise<Disguise> {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && hasName()) return asMyself(binaries);
  const ways = isRoot ? [inUserNamespace, asNobodyWithAccess, asNobody] : [inUserNamespace];
  const reasons: string[] = [];
  for (const way of ways) {
    try {
      const disguise = way(binaries);
      const version = disguise.wrap(disguise.binaries.postgres, ['--version']);
      await run(version.command, version.args, { uid: version.uid, gid: version.gid });
      const look = disguise.wrap('ls', [dataFolder]);
      await run(look.command, look.args, { uid: look.uid, gid: look.gid });
      return disguise;
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new UsageError(
    'PostgreSQL refuses to run as root, and no way around was found. Start as an ordinary user, or set SABIA_HOME to a folder ' +
      `that every user can enter, or give the address of a running PostgreSQL in SABIA_POSTGRES_URL.\n  ${reasons.join('\n  ')}`,
  );
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

import type { Dirent } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Telephony writes, the gateway reads as a member of its group, and other users of the machine hear nothing. */
export const fileMode = 0o640;
const folderMode = 0o750;
const others = 0o007;
const setGroupId = 0o2000;

/** Whatever the umask of the process says. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: folderMode });
  // Those that were there keep what they have; of the new ones the innermost may be stricter than its group can read.
  for (let made = folder; first !== undefined && made.length >= first.length; made = path.dirname(made)) {
    await chmod(made, folderMode);
  }
}

/**
 * Recordings of releases that left them readable by everybody. A folder is closed after its files, so that one that is closed
 * need not be looked into again; the root is closed first, which shuts others out of all of it at once.
 */
export async function closeToOthers(root: string): Promise<void> {
  if (await isOpen(root)) {
    await closeFolder(root);
  }
  for (const entry of await entriesOf(root)) {
    const folder = path.join(root, entry.name);
    if (entry.isDirectory() && (await isOpen(folder))) {
      for (const name of await readdir(folder)) {
        // A file that was being written has another name by now; it was private from the beginning.
        await chmod(path.join(folder, name), fileMode).catch(ignoreMissing);
      }
      await closeFolder(folder);
    }
  }
}

async function isOpen(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(ignoreMissing);
  return found !== undefined && (found.mode & others) !== 0;
}

const entriesOf = async (folder: string): Promise<Dirent[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) ?? [];

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') {
    throw error;
  }
}

/** The kubelet gives the root of a volume to a group, marks it with set-group-ID, and goes through all of it when that is gone. */
async function closeFolder(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  await chmod(folder, (mode & setGroupId) === 0 ? folderMode : mode & 0o7777 & ~others);
}

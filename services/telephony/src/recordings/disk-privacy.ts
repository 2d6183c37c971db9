import type { Dirent } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Telephony writes, the gateway reads as a member of the same group, and other users of the machine have no access. */
export const fileMode = 0o640;
const folderMode = 0o750;
const others = 0o007;
const setGroupId = 0o2000;

/** Independent of the umask of the process. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: folderMode });
  // Existing folders keep their modes; under a strict umask the group could not read the new ones.
  for (let made = folder; first !== undefined && made.length >= first.length; made = path.dirname(made)) {
    await chmod(made, folderMode);
  }
}

/**
 * Restricts recordings of releases that left them readable by all users. A folder is closed after its files, so that a closed
 * folder need not be read again; the root is closed first, which protects all of it at once.
 */
export async function closeToOthers(root: string): Promise<void> {
  if (await isOpen(root)) {
    await closeFolder(root);
  }
  for (const entry of await entriesOf(root)) {
    const folder = path.join(root, entry.name);
    if (entry.isDirectory() && (await isOpen(folder))) {
      for (const name of await readdir(folder)) {
        // A file that was being written has been renamed; it was private from the start.
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

/** Keeps set-group-ID: the kubelet sets it on the root of a volume, and walks the whole volume again if it is missing. */
async function closeFolder(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  await chmod(folder, (mode & setGroupId) === 0 ? folderMode : mode & 0o7777 & ~others);
}

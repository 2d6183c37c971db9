import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isUuid } from '../../storage/calls';
import type { RecordingStore } from './store';

/** A folder, for one machine. A file is whole or not there. */
export function createDiskStore(folder: string): RecordingStore {
  const root = path.resolve(folder);

  /** Few files per folder: by the end of the id, which is random. */
  const fileOf = (name: string): string => {
    if (!isUuid(name)) {
      throw new TypeError('a recording is named by the id of its call');
    }
    return path.join(root, name.slice(-2).toLowerCase(), `${name.toLowerCase()}.wav`);
  };

  return {
    async put(name, content) {
      const file = fileOf(name);
      await mkdir(path.dirname(file), { recursive: true });
      const part = `${file}.${process.pid}.part`;
      const handle = await open(part, 'w');
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(part, file);
    },
    locationOf: fileOf,
    async remove(name) {
      await rm(fileOf(name), { force: true });
    },
  };
}

import { createWriteStream } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { audioName } from './audio-name';
import { fileMode, makePrivateFolder } from './disk-privacy';
import type { RecordingStore } from './store';

/** A folder, for one machine. A file is whole or not there. */
export function createDiskStore(folder: string): RecordingStore {
  const root = path.resolve(folder);
  const fileOf = (name: string): string => path.join(root, audioName(name));

  return {
    async put(name, { content }) {
      const file = fileOf(name);
      await makePrivateFolder(path.dirname(file));
      const part = `${file}.${process.pid}.part`;
      try {
        await pipeline(content, createWriteStream(part, { flush: true, mode: fileMode }));
        await chmod(part, fileMode);
        const { size } = await stat(part);
        await rename(part, file);
        return { size };
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },
    locationOf: fileOf,
    async remove(name) {
      await rm(fileOf(name), { force: true });
    },
    close: async () => undefined,
  };
}

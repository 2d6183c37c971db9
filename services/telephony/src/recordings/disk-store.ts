import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { audioFormats } from '../domain/recording-url';
import type { AudioFormat } from '../domain/recording-url';
import { audioName } from './audio-name';
import { fileMode, makePrivateFolder } from './disk-privacy';
import type { RecordingStore } from './store';

/** A folder on one machine. Files appear only when they are complete. */
export function createDiskStore(folder: string): RecordingStore {
  const root = path.resolve(folder);
  const fileOf = (name: string, format: AudioFormat = 'wav'): string => path.join(root, audioName(name, format));

  return {
    async put(name, { content }, format) {
      const file = fileOf(name, format);
      await makePrivateFolder(path.dirname(file));
      // Replicas share the folder and cannot be told apart by process id, which is always 1 in a container.
      const part = `${file}.${randomUUID()}.part`;
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
    async read(name) {
      const file = await open(fileOf(name));
      return file.createReadStream();
    },
    locationOf: fileOf,
    async remove(name) {
      await Promise.all(audioFormats.map((format) => rm(fileOf(name, format), { force: true })));
    },
    close: async () => undefined,
  };
}

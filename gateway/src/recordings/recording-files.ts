import { open } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { unavailable } from '@sabia/service-kit/errors';
import type { RecordingFile, RecordingSource } from './recording-source';

/** Reads recordings from the folder that telephony keeps them in, on the same machine or on a shared volume. */
export function createRecordingFiles(folder: string | undefined): RecordingSource {
  return {
    async find(location) {
      if (folder === undefined) {
        throw unavailable('Recordings are not served here.');
      }
      const root = path.resolve(folder);
      const file = path.resolve(root, location);
      if (!file.startsWith(root + path.sep)) {
        throw new Error('telephony keeps a recording outside of the folder that is served (RECORDINGS_PATH)');
      }
      try {
        return await openFile(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
          return undefined;
        }
        throw error;
      }
    },
    close: async () => undefined,
  };
}

async function openFile(file: string): Promise<RecordingFile> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    return {
      size,
      async open(start, end) {
        if (end >= start) {
          return handle.createReadStream({ start, end });
        }
        await handle.close();
        return Readable.from([]);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

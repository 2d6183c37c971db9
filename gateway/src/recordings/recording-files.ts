import { open } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { unavailable } from '@sabia/service-kit/errors';

export interface RecordingFile {
  size: number;
  /** From and to, both included; closes the file at the end. */
  read(start: number, end: number): Readable;
  close(): Promise<void>;
}

export interface RecordingFiles {
  /** Undefined: it has been deleted. */
  open(location: string): Promise<RecordingFile | undefined>;
}

/** The folder that telephony keeps recordings in, on the same machine or on a volume that both have. */
export function createRecordingFiles(folder: string | undefined): RecordingFiles {
  return {
    async open(location) {
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
  };
}

async function openFile(file: string): Promise<RecordingFile> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    return {
      size,
      read(start, end) {
        if (end >= start) {
          return handle.createReadStream({ start, end });
        }
        void handle.close();
        return Readable.from([]);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
